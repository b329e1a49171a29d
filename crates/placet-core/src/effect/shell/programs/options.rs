//! The flags and operands of a program's arguments.

use crate::effect::shell::flow::Arg;

/// How a program writes its long flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// `-a -b --long`, with `-ab` for `-a -b`.
    Gnu,
    /// `-long`, as Terraform and Java do.
    Single,
}

/// The flags of a program that have a value, with what tells most others apart from them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Takes<'t> {
    flags: &'t [&'t str],
    signs: Signs,
}

/// Which letters flags with a value have, a bit for each.
#[derive(Clone, Copy, Debug, Default)]
pub struct Signs {
    /// Flags of one letter.
    short: u128,
    /// The first letters of long ones.
    long: u128,
}

impl Signs {
    /// Those of `flags`.
    pub fn of(flags: &[&str]) -> Self {
        let mut signs = Self::default();
        for flag in flags {
            match flag.as_bytes() {
                [b'-', letter] => signs.short |= bit(*letter),
                [_, _, letter, ..] => signs.long |= bit(*letter),
                _ => {}
            }
        }
        signs
    }
}

/// The bit of a letter; all that are not ASCII share one.
pub fn bit(letter: u8) -> u128 {
    1 << letter.min(127)
}

impl<'t> Takes<'t> {
    /// These flags.
    pub fn of(flags: &'t [&'t str]) -> Self {
        Self::known(flags, Signs::of(flags))
    }

    /// These flags, of which the signs are known.
    pub fn known(flags: &'t [&'t str], signs: Signs) -> Self {
        Self { flags, signs }
    }

    /// Whether the flag of one letter is among them.
    fn short(self, letter: char) -> bool {
        u8::try_from(letter).is_ok_and(|letter| letter.is_ascii() && self.signs.short & bit(letter) != 0)
    }

    /// Whether a long flag is, as it is written.
    fn long(self, written: &str, style: Style) -> bool {
        let may = style == Style::Single
            || written.as_bytes().get(2).is_some_and(|letter| self.signs.long & bit(*letter) != 0);
        may && self.flags.iter().any(|flag| same_flag(flag, written, style))
    }
}

/// Arguments sorted into flags and operands.
#[derive(Debug)]
pub struct Options<'r> {
    /// Flags in order, with their value if they take one.
    pub flags: Vec<(&'r str, Option<Arg<'r>>)>,
    /// Everything else.
    pub operands: Vec<&'r Arg<'r>>,
}

impl<'r> Options<'r> {
    /// Sorts `args`; the flags in `takes` have a value.
    pub fn read(args: &'r [Arg<'r>], takes: &[&str], style: Style) -> Self {
        Self::read_until(args, Takes::of(takes), style, false).0
    }

    /// Sorts `args` of a program whose flags are known.
    pub fn read_known(args: &'r [Arg<'r>], takes: Takes<'_>, style: Style) -> Self {
        Self::read_until(args, takes, style, false).0
    }

    /// Sorts the flags before the first operand; gives how many arguments they were.
    pub fn leading(args: &'r [Arg<'r>], takes: &[&str]) -> (Self, usize) {
        Self::read_until(args, Takes::of(takes), Style::Gnu, true)
    }

    fn read_until(args: &'r [Arg<'r>], takes: Takes<'_>, style: Style, leading: bool) -> (Self, usize) {
        let mut options = Self { flags: Vec::new(), operands: Vec::with_capacity(args.len()) };
        let mut at = 0;
        while let Some(arg) = args.get(at) {
            let text = arg.as_str();
            at += 1;
            if text == "--" {
                if !leading {
                    options.operands.extend(&args[at..]);
                }
                return (options, at);
            }
            if text.len() < 2 || !text.starts_with('-') {
                if leading {
                    return (options, at - 1);
                }
                options.operands.push(arg);
                continue;
            }
            let long = text.starts_with("--") || style == Style::Single;
            if long {
                let (name, value) = match text.bytes().position(|byte| byte == b'=') {
                    Some(equals) => (&text[..equals], Some(arg.after(equals + 1))),
                    None if takes.long(text, style) => {
                        let value = args.get(at).cloned();
                        at += 1;
                        (text, value)
                    }
                    None => (text, None),
                };
                options.flags.push((name, value));
            } else if text.len() > 2 && takes.flags.contains(&text) {
                options.flags.push((text, args.get(at).cloned()));
                at += 1;
            } else {
                at += options.cluster(arg, args.get(at), takes);
            }
        }
        (options, at.min(args.len()))
    }

    /// `-xvf file`: gives how many further arguments it used.
    fn cluster(&mut self, arg: &'r Arg<'r>, next: Option<&'r Arg<'r>>, takes: Takes<'_>) -> usize {
        let text = arg.as_str();
        for (index, letter) in text.char_indices().skip(1) {
            let name = short_flag(letter);
            let end = index + letter.len_utf8();
            if takes.short(letter) {
                if end < text.len() {
                    let value = arg.after(end + usize::from(text[end..].starts_with('=')));
                    self.flags.push((name, Some(value)));
                    return 0;
                }
                self.flags.push((name, next.cloned()));
                return 1;
            }
            self.flags.push((name, None));
        }
        0
    }

    /// Whether one of `names` is there; long flags may be abbreviated.
    pub fn has(&self, names: &[&str]) -> bool {
        self.flags.iter().any(|(flag, _)| names.iter().any(|name| abbreviates(flag, name)))
    }

    /// Whether exactly one of `names` is there: for flags that make a call harmless.
    pub fn has_exactly(&self, names: &[&str]) -> bool {
        self.flags.iter().any(|(flag, _)| names.contains(flag))
    }

    /// The last value of one of `names`.
    pub fn value(&self, names: &[&str]) -> Option<&Arg<'r>> {
        self.values(names).last()
    }

    /// All values of `names`.
    pub fn values(&self, names: &[&str]) -> impl DoubleEndedIterator<Item = &Arg<'r>> {
        self.flags
            .iter()
            .filter(move |(flag, _)| names.iter().any(|name| abbreviates(flag, name)))
            .filter_map(|(_, value)| value.as_ref())
    }

    /// The first operand.
    pub fn first(&self) -> Option<&'r Arg<'r>> {
        self.operands.first().copied()
    }
}

/// Whether `flag` as written stands for `name`.
pub fn abbreviates(flag: &str, name: &str) -> bool {
    flag == name || (flag.len() >= 3 && flag.starts_with("--") && name.starts_with(flag))
}

fn same_flag(flag: &str, written: &str, style: Style) -> bool {
    // Most are told apart by their first letter.
    if style == Style::Gnu && flag.as_bytes().get(2) != written.as_bytes().get(2) {
        return false;
    }
    match style {
        Style::Gnu => abbreviates(written, flag) && (written.len() >= 5 || written == flag),
        Style::Single => flag.trim_start_matches('-') == written.trim_start_matches('-'),
    }
}

/// `-x` for a letter, without making a new text.
fn short_flag(letter: char) -> &'static str {
    const LETTERS: &str = concat!(
        "-a-b-c-d-e-f-g-h-i-j-k-l-m-n-o-p-q-r-s-t-u-v-w-x-y-z",
        "-A-B-C-D-E-F-G-H-I-J-K-L-M-N-O-P-Q-R-S-T-U-V-W-X-Y-Z",
        "-0-1-2-3-4-5-6-7-8-9"
    );
    let index = match letter {
        'a'..='z' => letter as usize - 'a' as usize,
        'A'..='Z' => 26 + letter as usize - 'A' as usize,
        '0'..='9' => 52 + letter as usize - '0' as usize,
        _ => return "-?",
    };
    &LETTERS[index * 2..index * 2 + 2]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(args: &str, takes: &[&str], flags: &[(&str, &str)], operands: &[&str]) {
        let args: Vec<Arg<'_>> = args.split_whitespace().map(|text| Arg::literal(text, (0, 0))).collect();
        let options = Options::read(&args, takes, Style::Gnu);
        let found: Vec<(&str, &str)> = options
            .flags
            .iter()
            .map(|(name, value)| (*name, value.as_ref().map_or("", Arg::as_str)))
            .collect();
        assert_eq!(found, flags);
        assert_eq!(options.operands.iter().map(|arg| arg.as_str()).collect::<Vec<_>>(), operands);
    }

    #[test]
    fn flags_are_told_from_their_values() {
        check("-rf a b", &[], &[("-r", ""), ("-f", "")], &["a", "b"]);
        check("a -rf", &[], &[("-r", ""), ("-f", "")], &["a"]);
        check("-o out in", &["-o"], &[("-o", "out")], &["in"]);
        check("-oout in", &["-o"], &[("-o", "out")], &["in"]);
        check("-sFx=@.env host", &["-F"], &[("-s", ""), ("-F", "x=@.env")], &["host"]);
        check("--out=x -- --in", &[], &[("--out", "x")], &["--in"]);
        check("--region --dry-run", &["--region"], &[("--region", "--dry-run")], &[]);
        check("--post-f x", &["--post-file"], &[("--post-f", "x")], &[]);
    }
}
