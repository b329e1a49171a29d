//! Paths, and what files hold as far as this script has filled them.

use super::{Walker, holds_secrets, is_absolute, is_sink, network_path};
use crate::effect::{
    Effect, Extent, Manner, Place, Seen, Target, TargetKind, Undo, Verb, path,
    shell::{
        env::Channel,
        flow::{Arg, Flow, HOLE, Origin},
    },
};

impl Walker<'_> {
    /// The working tree, if it is known.
    pub(in crate::effect::shell) fn root(&self) -> Option<&str> {
        self.root
    }

    /// Where relative paths start, if that is known.
    pub(in crate::effect::shell) fn directory(&self) -> Option<&str> {
        self.env.directory.as_deref().or(self.root)
    }

    /// `cd`.
    pub(in crate::effect::shell) fn change_directory(&mut self, to: Option<&str>) {
        let next = match to {
            // Back to wherever it was, or somewhere only known when it runs.
            Some("-") => HOLE.to_string(),
            Some(to) => self.locate(to),
            None => "~".to_owned(),
        };
        self.env.directory = Some(next);
    }

    /// `path` as seen from the start of the script.
    pub(in crate::effect::shell) fn locate(&self, text: &str) -> String {
        match &self.env.directory {
            Some(directory) if !is_absolute(text) => format!("{}/{text}", directory.trim_end_matches('/')),
            Some(_) | None => text.to_owned(),
        }
    }

    /// The target a path argument names.
    pub(in crate::effect::shell) fn path_target(&self, text: &str) -> (Target, path::Found) {
        let found = self.classify(self.locate(text));
        let target = Target {
            kind: TargetKind::Path,
            name: found.name.clone(),
            place: found.place,
            sensitivity: found.sensitivity,
        };
        (target, found)
    }

    /// The one name under which a file is remembered, however it is spelled.
    pub(in crate::effect::shell) fn file_key(&self, text: &str) -> String {
        let located = self.locate(text);
        if located.starts_with("/dev/fd/") { located } else { self.classify(located).name }
    }

    /// What a located path says. A program asks several times about the same one, so the last is kept.
    fn classify(&self, located: String) -> path::Found {
        if let Some((last, found)) = &*self.last_path.borrow()
            && *last == located
        {
            return found.clone();
        }
        let found = path::classify(&located, self.root);
        *self.last_path.borrow_mut() = Some((located, found.clone()));
        found
    }

    /// Reads the file an argument names; gives what it holds.
    pub(in crate::effect::shell) fn read(&mut self, arg: &Arg<'_>) -> Flow {
        if let Some(host) = network_path(arg.as_str()) {
            let target = Target::new(TargetKind::Host, host).at(Place::Away);
            let span = self.span(arg.range);
            self.emit(Effect::new(Verb::Read, target, span));
            return Flow::unknown(Origin::FETCHED);
        }
        if let Some(content) = self.env.files.get(&self.file_key(arg.as_str())) {
            return content.clone();
        }
        let (target, found) = self.path_target(arg.as_str());
        let origin = if holds_secrets(&found) { Origin::SECRET } else { Origin::LOCAL };
        let span = self.span(arg.range);
        let mut effect = Effect::new(Verb::Read, target, span);
        if let Some(what) = found.what {
            effect = effect.words(what);
        }
        if arg.glob {
            effect = effect.extent(Extent::Several);
        }
        if !arg.known {
            effect = effect.seen(Seen::Likely);
        }
        self.emit(effect);
        Flow::unknown(origin)
    }

    /// What the file an argument names holds, without reading being an effect of its own.
    pub(in crate::effect::shell) fn content(&self, text: &str) -> Flow {
        let located = self.locate(text);
        if let Some(Channel::Source(flow)) =
            located.strip_prefix("/dev/fd/").and_then(|fd| self.env.descriptors.get(fd))
        {
            return flow.clone();
        }
        if let Some(content) = self.env.files.get(&self.file_key(text)) {
            return content.clone();
        }
        let found = self.classify(located.clone());
        // A directory that was filled here, or that keys are usually kept in, is as secret as they are.
        let inside = format!("{}/", located.trim_end_matches('/'));
        let filled = self
            .env
            .files
            .iter()
            .filter(|(name, _)| name.starts_with(&inside))
            .fold(Origin::PLAIN, |origin, (_, flow)| origin.and(flow.origin));
        let own = if holds_secrets(&found) { Origin::SECRET } else { Origin::LOCAL };
        Flow::unknown(own.and(filled))
    }

    /// Writes the file an argument names.
    pub(in crate::effect::shell) fn write(&mut self, arg: &Arg<'_>, content: Flow, append: bool) {
        if let Some(host) = network_path(arg.as_str()) {
            self.send(host, content.origin, arg.range);
            return;
        }
        let (target, found) = self.path_target(arg.as_str());
        if is_sink(&found.name) {
            return;
        }
        let device = path::is_block_device(&found.name);
        let key = self.file_key(arg.as_str());
        self.env.write_file(key, content, append || self.conditional > 0 || self.spawning > 0);
        let span = self.span(arg.range);
        let mut effect = Effect::new(Verb::Write, target, span);
        effect.undo = match (device, effect.target.place) {
            (true, _) => Undo::Impossible,
            (false, Place::Scratch) => Undo::Trivial,
            (false, _) => Undo::Possible,
        };
        if let Some(what) = found.what {
            effect = effect.words(what);
        }
        if !arg.known {
            effect = effect.seen(Seen::Likely);
        }
        self.emit(effect);
    }

    /// Data leaves for `host`.
    pub(in crate::effect::shell) fn send(&mut self, host: &str, origin: Origin, range: (usize, usize)) {
        let target = super::programs::network::host_target(host);
        let span = self.span(range);
        let mut effect = Effect::new(Verb::Send, target, span);
        if origin.has(Origin::SECRET) {
            effect = effect.manner(Manner::CARRIES_SECRET).undo(Undo::Impossible);
        }
        self.emit(effect);
    }

    /// A name under which `content` can be read.
    pub(in crate::effect::shell) fn virtual_file(&mut self, content: Flow) -> String {
        self.virtual_files += 1;
        let path = format!("/dev/fd/p{}", self.virtual_files);
        self.env.write_file(path.clone(), content, false);
        path
    }

    pub(in crate::effect::shell) fn is_conditional(&self) -> bool {
        self.conditional > 0
    }
}
