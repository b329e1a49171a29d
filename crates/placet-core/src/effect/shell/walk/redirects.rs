//! Where input comes from and output goes to.

use super::{Walker, network_path};
use crate::effect::shell::{
    env::Channel,
    flow::{Arg, Flow, HOLE, Origin},
    syntax::{Fd, Redirect, RedirectKind},
};

impl Walker<'_> {
    /// What a command reads from its standard input.
    pub(super) fn input(&mut self, redirects: &[Redirect<'_>], stdin: Option<Flow>) -> Option<Flow> {
        let mut stdin = stdin;
        for redirect in redirects {
            match redirect.kind {
                RedirectKind::HereDoc => stdin = Some(self.text(&redirect.target)),
                RedirectKind::HereString => {
                    stdin = Some(self.text(&redirect.target).then(Flow::known("\n".to_owned())));
                }
                RedirectKind::Read | RedirectKind::ReadWrite => {
                    if let Some(arg) = self.arguments(std::slice::from_ref(&redirect.target)).first() {
                        stdin = Some(self.read(arg));
                    }
                }
                RedirectKind::DupRead => {
                    let fd = self.text(&redirect.target).text;
                    if let Some(Channel::Network(host)) =
                        fd.as_ref().and_then(|fd| self.env.descriptors.get(fd)).cloned()
                    {
                        let range = (redirect.target.range.start, redirect.target.range.end);
                        crate::effect::shell::programs::network::remote_control(self, &host, range);
                        stdin = Some(Flow::unknown(Origin::FETCHED));
                        continue;
                    }
                    if let Some(Channel::Source(flow)) = fd.and_then(|fd| self.env.descriptors.get(&fd)) {
                        stdin = Some(flow.clone());
                    } else if self
                        .env
                        .descriptors
                        .values()
                        .any(|channel| matches!(channel, Channel::Source(_)))
                    {
                        // Some descriptor of this script: which one is not known.
                        let origin =
                            self.env.descriptors.values().fold(
                                Origin::PLAIN,
                                |origin, channel| match channel {
                                    Channel::Source(flow) => origin.and(flow.origin),
                                    Channel::Network(_) | Channel::File(_) => origin,
                                },
                            );
                        stdin = Some(Flow::unknown(origin));
                    }
                }
                RedirectKind::Write
                | RedirectKind::Append
                | RedirectKind::WriteBoth
                | RedirectKind::AppendBoth
                | RedirectKind::DupWrite => {}
            }
        }
        stdin
    }

    /// Where a command's output goes; gives what is left for the next one.
    pub(super) fn output(
        &mut self,
        redirects: &[Redirect<'_>],
        output: Flow,
        _range: (usize, usize),
    ) -> Flow {
        let mut left = output.clone();
        for redirect in redirects {
            let append = matches!(redirect.kind, RedirectKind::Append | RedirectKind::AppendBoth);
            match redirect.kind {
                RedirectKind::HereDoc
                | RedirectKind::HereString
                | RedirectKind::Read
                | RedirectKind::DupRead => {}
                RedirectKind::Write
                | RedirectKind::Append
                | RedirectKind::WriteBoth
                | RedirectKind::AppendBoth
                | RedirectKind::ReadWrite => {
                    let to_stdout = !matches!(redirect.fd, Some(Fd::Number(fd)) if fd != 1);
                    let content = if to_stdout { output.clone() } else { Flow::unknown(Origin::PLAIN) };
                    for arg in self.arguments(std::slice::from_ref(&redirect.target)) {
                        self.write(&arg, content.clone(), append);
                    }
                    if to_stdout {
                        left = Flow::empty();
                    }
                }
                RedirectKind::DupWrite => {
                    let range = (redirect.target.range.start, redirect.target.range.end);
                    let to = self.text(&redirect.target).text.unwrap_or_default();
                    if matches!(to.as_str(), "1" | "2" | "-" | "") {
                        continue;
                    }
                    match self.env.descriptors.get(&to).cloned() {
                        Some(Channel::Network(host)) => self.send(&host, output.origin, range),
                        Some(Channel::File(path)) => {
                            self.env.write_file(path, output.clone(), true);
                        }
                        Some(Channel::Source(_)) => {}
                        None if to.bytes().all(|byte| byte.is_ascii_digit()) => {}
                        None if to.contains(HOLE) => {
                            let channels: Vec<_> = self.env.descriptors.values().cloned().collect();
                            for channel in channels {
                                if let Channel::Network(host) = channel {
                                    self.send(&host, output.origin, range);
                                }
                            }
                        }
                        // `>&file` is the old spelling of `&>file`.
                        None => self.write(&Arg::literal(to, range), output.clone(), false),
                    }
                    left = Flow::empty();
                }
            }
        }
        left
    }

    /// `exec 3< file` and relatives: the descriptor stays open for what follows.
    pub(super) fn open_descriptors(&mut self, redirects: &[Redirect<'_>]) {
        for redirect in redirects {
            let key = match &redirect.fd {
                Some(Fd::Number(fd)) => fd.to_string(),
                // `$name` is a hole unless it is set here, so the name stands for the number.
                Some(Fd::Named(name)) => {
                    let number = format!("fd:{name}");
                    self.env.set(name, vec![Flow::known(number.clone())], false);
                    number
                }
                None => continue,
            };
            let channel = match redirect.kind {
                RedirectKind::Read => {
                    let Some(arg) = self.arguments(std::slice::from_ref(&redirect.target)).into_iter().next()
                    else {
                        continue;
                    };
                    let before = self.effects.len();
                    let flow = self.read(&arg);
                    self.effects.truncate(before);
                    Channel::Source(flow)
                }
                RedirectKind::HereString | RedirectKind::HereDoc => {
                    Channel::Source(self.text(&redirect.target))
                }
                RedirectKind::Write
                | RedirectKind::Append
                | RedirectKind::ReadWrite
                | RedirectKind::WriteBoth
                | RedirectKind::AppendBoth => {
                    let Some(arg) = self.arguments(std::slice::from_ref(&redirect.target)).into_iter().next()
                    else {
                        continue;
                    };
                    match network_path(arg.as_str()) {
                        Some(host) => Channel::Network(host.to_owned()),
                        None => Channel::File(self.locate(arg.as_str()).into_owned()),
                    }
                }
                RedirectKind::DupRead | RedirectKind::DupWrite => continue,
            };
            if self.env.descriptors.len() < 64 {
                self.env.descriptors.insert(key, channel);
            } else {
                self.give_up("more descriptors than can be remembered", (0, 0));
            }
        }
    }
}
