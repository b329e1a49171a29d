//! Paths, and what files hold as far as this script has filled them.

use std::{borrow::Cow, ops::Bound, rc::Rc};

use super::{Walker, holds_secrets, is_absolute, is_sink, network_path};
use crate::effect::{
    Effect, Extent, Manner, Place, Seen, Target, TargetKind, Undo, Verb, path,
    shell::{
        env::Channel,
        flow::{Arg, Flow, HOLE, Origin},
    },
};

/// How many answers about paths are kept.
const PATHS_KEPT: usize = 4;

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
            Some(to) => self.locate(to).into_owned(),
            None => "~".to_owned(),
        };
        self.env.directory = Some(next);
    }

    /// `path` as seen from the start of the script.
    pub(in crate::effect::shell) fn locate<'t>(&self, text: &'t str) -> Cow<'t, str> {
        match &self.env.directory {
            Some(directory) if !is_absolute(text) => {
                let directory = directory.trim_end_matches('/');
                let mut located = String::with_capacity(directory.len() + 1 + text.len());
                located.push_str(directory);
                located.push('/');
                located.push_str(text);
                Cow::Owned(located)
            }
            Some(_) | None => Cow::Borrowed(text),
        }
    }

    /// The target a path argument names.
    pub(in crate::effect::shell) fn path_target(&self, text: &str) -> (Target, Rc<path::Found>) {
        let found = self.found(text);
        (target_of(&found), found)
    }

    /// What a path argument says.
    fn found(&self, text: &str) -> Rc<path::Found> {
        let located = self.locate(text);
        self.classify(self.beyond_link(&located).as_deref().unwrap_or(&located))
    }

    /// A path that goes through a link to a directory, made by this script.
    fn beyond_link(&self, located: &str) -> Option<String> {
        self.env.links.iter().find_map(|(name, path)| {
            let rest = located.trim_start_matches("./").strip_prefix(name.as_str())?.strip_prefix('/')?;
            Some(format!("{}/{rest}", path.trim_end_matches('/')))
        })
    }

    /// The one name under which a file is remembered, however it is spelled.
    pub(in crate::effect::shell) fn file_key(&self, text: &str) -> String {
        let located = self.locate(text);
        if located.starts_with("/dev/fd/") {
            return located.into_owned();
        }
        // Whoever asks for its name mostly wants to know more next.
        self.classify(&located).name.clone()
    }

    /// What this script put into a file, if it wrote it.
    fn written(&self, text: &str) -> Option<&Flow> {
        if self.env.files.is_empty() { None } else { self.env.files.get(&self.file_key(text)) }
    }

    /// What a located path says. Programs ask several times about the same few, so these are kept.
    fn classify(&self, located: &str) -> Rc<path::Found> {
        if let Some(found) = self.lately(located) {
            return found;
        }
        let found = Rc::new(self.base.classify(located));
        let mut lately = self.lately.borrow_mut();
        if lately.len() == PATHS_KEPT {
            lately.pop_front();
        }
        lately.push_back((located.to_owned(), Rc::clone(&found)));
        found
    }

    /// What a located path said, if it was asked for lately.
    fn lately(&self, located: &str) -> Option<Rc<path::Found>> {
        let lately = self.lately.borrow();
        lately.iter().rev().find(|(path, _)| path == located).map(|(_, found)| Rc::clone(found))
    }

    /// Reads the file an argument names; gives what it holds.
    pub(in crate::effect::shell) fn read(&mut self, arg: &Arg<'_>) -> Flow {
        if let Some(host) = network_path(arg.as_str()) {
            let target = Target::new(TargetKind::Host, host).at(Place::Away);
            let span = self.span(arg.range);
            self.emit(Effect::new(Verb::Read, target, span));
            return Flow::unknown(Origin::FETCHED);
        }
        if let Some(content) = self.written(arg.as_str()) {
            return content.clone();
        }
        let found = self.found(arg.as_str());
        let origin = if holds_secrets(&found) { Origin::SECRET } else { Origin::LOCAL };
        if self.drops_looks(found.sensitivity) {
            return Flow::unknown(origin);
        }
        let (target, span) = (target_of(&found), self.span(arg.range));
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
        if let Some(content) = self.written(text) {
            return content.clone();
        }
        let found = self.classify(&located);
        // A directory that was filled here, or that keys are usually kept in, is as secret as they are.
        let inside = format!("{}/", located.trim_end_matches('/'));
        let filled = self
            .env
            .files
            .range::<str, _>((Bound::Included(inside.as_str()), Bound::Unbounded))
            .take_while(|(name, _)| name.starts_with(&inside))
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
        if !self.env.links.is_empty()
            && let Some((name, path)) = self.env.links.remove_entry(&self.file_key(arg.as_str()))
        {
            // A write through a link changes what it leads to; without the link, so that it ends.
            self.write(&Arg { text: path.clone().into(), ..arg.clone() }, content.clone(), append);
            self.env.links.insert(name, path);
        }
        let (target, found) = self.path_target(arg.as_str());
        if is_sink(&found.name) {
            return;
        }
        let device = found.name.starts_with(['/', '\\']) && path::is_block_device(&found.name);
        // Unless there are links, the name just found is the one under which a file is remembered.
        let named = self.env.links.is_empty() && !self.locate(arg.as_str()).starts_with("/dev/fd/");
        let key = if named { found.name.clone() } else { self.file_key(arg.as_str()) };
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

/// The target that a path names.
fn target_of(found: &path::Found) -> Target {
    Target {
        kind: TargetKind::Path,
        name: found.name.clone(),
        place: found.place,
        sensitivity: found.sensitivity,
    }
}
