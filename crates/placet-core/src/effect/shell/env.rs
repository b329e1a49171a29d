//! What a script has set so far: variables, functions, files it wrote, descriptors it opened.

use std::collections::{BTreeMap, HashMap, btree_map::Entry};

use super::flow::{Flow, Origin};

/// The state of a script while it is walked.
#[derive(Clone, Debug, Default)]
pub struct Env {
    vars: HashMap<String, Var>,
    /// Function and alias bodies as text; read again when they are called.
    pub functions: HashMap<String, String>,
    /// Names that `hash` tied to a program.
    pub hashed: Vec<String>,
    /// What files written by this script hold, in order, so that those of one directory stand together.
    pub files: BTreeMap<String, Flow>,
    /// Where links made by this script lead.
    pub links: BTreeMap<String, String>,
    /// What descriptors opened by `exec` lead to.
    pub descriptors: HashMap<String, Channel>,
    /// Bytes held by values, never counted down.
    bytes: usize,
    /// Where relative paths start, if the script has moved.
    pub directory: Option<String>,
    /// Whether something was not remembered because there was too much.
    pub full: bool,
    /// `$1`, `$2`, …, once they are known.
    pub positional: Option<Vec<Flow>>,
}

/// The value of a variable.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Var {
    /// One value, or the elements of an array.
    pub items: Vec<Flow>,
}

/// What a descriptor leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Channel {
    /// A connection to this host.
    Network(String),
    /// A file.
    File(String),
    /// Data to be read.
    Source(Flow),
}

/// More than this many names are not remembered.
const NAMES_MAX: usize = 4096;
/// Links that are remembered: every path is compared with each of them.
const LINKS_MAX: usize = 64;

impl Env {
    /// Nothing set yet, in `directory` if that is not the working tree.
    pub fn starting_in(directory: Option<&str>) -> Self {
        Self { directory: directory.map(str::to_owned), ..Self::default() }
    }

    /// The value of `name`; `None` if this script never set it.
    pub fn get(&self, name: &str) -> Option<&Var> {
        self.vars.get(name)
    }

    /// The value of `name` as one text.
    pub fn value(&self, name: &str) -> Option<Flow> {
        self.vars.get(name).map(|var| var.items.first().cloned().unwrap_or_else(Flow::empty))
    }

    /// Sets `name`. Where that happens only sometimes, the old value stays possible.
    pub fn set(&mut self, name: &str, mut items: Vec<Flow>, sometimes: bool) {
        for item in &mut items {
            // A value that doubles itself again and again would fill the memory.
            *item = std::mem::take(item).bounded();
        }
        self.bytes += items.iter().filter_map(|item| item.text.as_ref()).map(String::len).sum::<usize>();
        if name == "PATH" {
            // Another search path forgets what `hash` remembered.
            for name in std::mem::take(&mut self.hashed) {
                self.functions.remove(&name);
            }
        }
        if self.vars.len() >= NAMES_MAX && !self.vars.contains_key(name) {
            self.full = true;
            return;
        }
        let entry = self.vars.entry(name.to_owned());
        match entry {
            std::collections::hash_map::Entry::Occupied(mut slot) if sometimes => {
                let old = std::mem::take(&mut slot.get_mut().items);
                let joined = if old == items {
                    old
                } else {
                    let origin =
                        old.iter().chain(&items).fold(Origin::PLAIN, |origin, item| origin.and(item.origin));
                    vec![Flow::unknown(origin)]
                };
                slot.get_mut().items = joined;
            }
            std::collections::hash_map::Entry::Occupied(mut slot) => slot.get_mut().items = items,
            std::collections::hash_map::Entry::Vacant(slot) => {
                slot.insert(Var { items });
            }
        }
    }

    /// About how many bytes a copy of it takes.
    pub fn size(&self) -> usize {
        let names = self.vars.len()
            + self.functions.len()
            + self.files.len()
            + self.links.len()
            + self.positional.as_ref().map_or(0, Vec::len);
        names * 64 + self.bytes
    }

    /// Puts a variable back to what it was.
    pub fn restore(&mut self, name: String, old: Option<Var>) {
        match old {
            Some(var) => {
                self.vars.insert(name, var);
            }
            None => {
                self.vars.remove(&name);
            }
        }
    }

    /// Every variable may have changed.
    pub fn forget_variables(&mut self) {
        for var in self.vars.values_mut() {
            var.items = vec![Flow::unknown(Origin::PLAIN)];
        }
    }

    /// Remembers that what is called `name` lies at `path`.
    pub fn link(&mut self, name: String, path: String) {
        if self.links.len() >= LINKS_MAX {
            self.full = true;
            return;
        }
        self.links.insert(name, path);
    }

    /// Remembers what `path` holds.
    pub fn write_file(&mut self, path: String, content: Flow, keeps_old: bool) {
        let content = content.bounded();
        if self.files.len() >= NAMES_MAX && !self.files.contains_key(&path) {
            self.full = true;
            return;
        }
        match self.files.entry(path) {
            Entry::Vacant(new) => drop(new.insert(content)),
            Entry::Occupied(mut old) if keeps_old => {
                let before = std::mem::take(old.get_mut());
                *old.get_mut() = before.or(content);
            }
            Entry::Occupied(mut old) => *old.get_mut() = content,
        }
    }
}
