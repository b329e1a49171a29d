//! Whether others on this machine may change or swap what lies at a path.
//!
//! Where another user may write a directory on the way to the data, they can put a directory of their own in its place, with
//! rules, settings and a socket that they have made.

use std::{
    collections::BTreeSet,
    ffi::OsString,
    fs, io,
    os::unix::fs::MetadataExt as _,
    path::{Component, Path, PathBuf},
};

use anyhow::{Context as _, bail};

/// Symbolic links that are followed on the way.
const LINKS_MAX: usize = 40;
const STICKY: u32 = 0o1000;
const ROOT: u32 = 0;

/// The users who may own what is trusted: this one, root, and for root the service user to whom the data belongs.
pub fn owners(directory: &Path) -> BTreeSet<u32> {
    let me = rustix::process::geteuid().as_raw();
    let mut owners = BTreeSet::from([me, ROOT]);
    if me == ROOT
        && let Ok(metadata) = fs::metadata(directory)
    {
        owners.insert(metadata.uid());
    }
    owners
}

/// Refuses a directory that others may write, or swap for one of theirs. What is not there yet is looked at as far as it is.
pub fn refuse_shared(directory: &Path) -> anyhow::Result<()> {
    let whole = std::path::absolute(directory).context("cannot tell where the working directory is")?;
    let owners = owners(directory);
    let mut walk = Walk { at: PathBuf::from("/"), ahead: Vec::new(), links: 0 };
    walk.put_ahead(&whole);
    while let Some(step) = walk.ahead.pop() {
        let is_last = walk.ahead.is_empty();
        let name = match step {
            Step::Up => {
                walk.at.pop();
                continue;
            }
            Step::Root => {
                walk.at = PathBuf::from("/");
                look_at(&walk.at, &fs::metadata(&walk.at)?, &owners, false)?;
                continue;
            }
            Step::Into(name) => name,
        };
        let next = walk.at.join(name);
        let metadata = match fs::symlink_metadata(&next) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            // What cannot be looked at cannot be used either, and says so itself.
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => return Ok(()),
            Err(error) => return Err(error).with_context(|| format!("cannot look at `{}`", next.display())),
        };
        if metadata.is_symlink() {
            walk.links += 1;
            if walk.links > LINKS_MAX {
                bail!("too many symbolic links lead to `{}`", directory.display());
            }
            refuse_owner(&next, &metadata, &owners)?;
            walk.put_ahead(&fs::read_link(&next)?);
        } else {
            look_at(&next, &metadata, &owners, is_last)?;
            walk.at = next;
        }
    }
    Ok(())
}

/// A way through the file system, a step at a time.
struct Walk {
    at: PathBuf,
    /// What is still to come, the next step last.
    ahead: Vec<Step>,
    links: usize,
}

enum Step {
    Root,
    Up,
    Into(OsString),
}

impl Walk {
    fn put_ahead(&mut self, path: &Path) {
        for part in path.components().rev() {
            self.ahead.extend(match part {
                Component::RootDir => Some(Step::Root),
                Component::ParentDir => Some(Step::Up),
                Component::Normal(name) => Some(Step::Into(name.to_owned())),
                Component::CurDir | Component::Prefix(_) => None,
            });
        }
    }
}

/// Refuses what belongs to a user who is not trusted.
fn refuse_owner(path: &Path, metadata: &fs::Metadata, owners: &BTreeSet<u32>) -> anyhow::Result<()> {
    if !owners.contains(&metadata.uid()) {
        let shown = path.display();
        bail!(
            "`{shown}` belongs to another user (uid {}), who could put other data in its place\n  \
             run this as that user, or keep the data in a directory of your own",
            metadata.uid()
        );
    }
    Ok(())
}

/// Refuses a directory that others may write. One on the way may let them, if they can remove there only what is theirs.
fn look_at(
    path: &Path,
    metadata: &fs::Metadata,
    owners: &BTreeSet<u32>,
    is_data: bool,
) -> anyhow::Result<()> {
    refuse_owner(path, metadata, owners)?;
    let mode = metadata.mode();
    let by_all = mode & 0o002 != 0;
    let by_group = mode & 0o020 != 0 && !is_private_group(metadata.gid(), owners);
    let is_sticky = mode & STICKY != 0 && !is_data;
    if (by_all || by_group) && !is_sticky {
        let (shown, whom) = (path.display(), if by_all { "everybody" } else { "its group" });
        let what = if is_data { "write into" } else { "swap what is in" };
        bail!(
            "{whom} may {what} `{shown}` (mode {:03o}), and so change what decisions are made by\n  \
             mend it with `chmod go-w {shown}`, or keep the data elsewhere",
            mode & 0o7777
        );
    }
    Ok(())
}

/// Whether a group has no member but a trusted user, as the group has that many systems make for each user. A group that
/// these files do not know may have any members.
fn is_private_group(gid: u32, owners: &BTreeSet<u32>) -> bool {
    if gid == ROOT {
        return true;
    }
    let (Ok(groups), Ok(users)) = (fs::read_to_string("/etc/group"), fs::read_to_string("/etc/passwd"))
    else {
        return false;
    };
    has_trusted_members_only(gid, owners, &groups, &users)
}

fn has_trusted_members_only(gid: u32, owners: &BTreeSet<u32>, groups: &str, users: &str) -> bool {
    let id = |fields: &[&str], at: usize| fields.get(at).and_then(|text| text.parse::<u32>().ok());
    let (groups, users) = (table(groups), table(users));
    let Some(group) = groups.iter().find(|fields| id(fields, 2) == Some(gid)) else { return false };
    let members: Vec<&str> = group
        .get(3)
        .map(|names| names.split(',').filter(|name| !name.is_empty()).collect())
        .unwrap_or_default();
    let is_trusted = |uid: Option<u32>| uid.is_some_and(|uid| owners.contains(&uid));
    let by_name = members.iter().all(|name| {
        users
            .iter()
            .find(|fields| fields.first() == Some(name))
            .is_some_and(|fields| is_trusted(id(fields, 2)))
    });
    let by_user =
        users.iter().filter(|fields| id(fields, 3) == Some(gid)).all(|fields| is_trusted(id(fields, 2)));
    by_name && by_user
}

/// The lines of a table of the system, each as its fields.
fn table(text: &str) -> Vec<Vec<&str>> {
    text.lines().map(|line| line.split(':').collect()).collect()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    fn mode(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    fn refused(path: &Path) -> String {
        refuse_shared(path).map(|()| String::new()).unwrap_or_else(|error| error.to_string())
    }

    #[test]
    fn a_directory_that_others_may_write_is_refused_and_so_is_one_below_it() {
        let home = tempfile::tempdir().unwrap();
        let data = home.path().join("shared/data");
        fs::create_dir_all(&data).unwrap();
        assert_eq!(refused(&data), "");
        assert_eq!(refused(&data.join("not/yet")), "");
        mode(&data, 0o777);
        assert!(refused(&data).contains("everybody may write into"), "{}", refused(&data));
        // Where others may make files, sticky or not, they may make rules.
        mode(&data, 0o1777);
        assert!(refused(&data).contains("everybody may write into"));
        mode(&data, 0o700);
        mode(&home.path().join("shared"), 0o777);
        assert!(refused(&data).contains("everybody may swap what is in"), "{}", refused(&data));
        assert!(refused(&data.join("not/yet")).contains("swap"));
        mode(&home.path().join("shared"), 0o1777);
        assert_eq!(refused(&data), "");
    }

    #[test]
    fn links_are_followed_and_what_they_lead_through_counts() {
        let home = tempfile::tempdir().unwrap();
        let (open, safe) = (home.path().join("open"), home.path().join("safe"));
        fs::create_dir_all(open.join("data")).unwrap();
        fs::create_dir_all(&safe).unwrap();
        mode(&open, 0o777);
        symlink("../open/data", safe.join("data")).unwrap();
        assert!(refused(&safe.join("data")).contains("swap what is in"));
        symlink(safe.join("real"), open.join("link")).unwrap();
        fs::create_dir(safe.join("real")).unwrap();
        // The link itself lies where others may put another one.
        assert!(refused(&open.join("link")).contains("swap what is in"));
        symlink("real", safe.join("link")).unwrap();
        assert_eq!(refused(&safe.join("link")), "");
        symlink("round", safe.join("round")).unwrap();
        assert!(refused(&safe.join("round")).contains("too many symbolic links"));
        assert!(refused(&safe.join("../open/data")).contains("swap what is in"));
    }

    #[test]
    fn a_group_of_one_user_is_nobody_else() {
        let groups = "ann:x:1000:\nstaff:x:50:bob\nann2:x:1001:ann\nroot:x:0:\n";
        let users = "root:x:0:0::/:/x\nann:x:1000:1000::/:/x\nbob:x:1002:50::/:/x\n";
        let ann = BTreeSet::from([0, 1000]);
        assert!(has_trusted_members_only(1000, &ann, groups, users));
        assert!(has_trusted_members_only(1001, &ann, groups, users));
        assert!(!has_trusted_members_only(50, &ann, groups, users));
        assert!(!has_trusted_members_only(7, &ann, groups, users), "what nobody knows is not trusted");
        assert!(!has_trusted_members_only(1000, &BTreeSet::from([0, 1002]), groups, users));
    }
}
