//! Signs: one byte for each operator, bracket and word that means something to a language, so that a reader tells them
//! apart by a single comparison.
//!
//! What has one letter is that letter. The others have numbers beyond ASCII. Everything else is 0.

/// Names each sign that has more than one letter.
macro_rules! signs {
    ($($name:ident = $letters:literal,)*) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        enum Number { $($name,)* }

        $(pub const $name: u8 = OTHER + 1 + Number::$name as u8;)*

        const ALL: &[&[u8]] = &[$($letters,)*];

        fn number(letters: &[u8]) -> u8 {
            match letters {
                $($letters => $name,)*
                _ => OTHER,
            }
        }
    };
}

signs! {
    // Words of both languages.
    AS = b"as",
    ASYNC = b"async",
    AWAIT = b"await",
    BREAK = b"break",
    CLASS = b"class",
    CONTINUE = b"continue",
    ELSE = b"else",
    FINALLY = b"finally",
    FOR = b"for",
    FROM = b"from",
    IF = b"if",
    IMPORT = b"import",
    IN = b"in",
    RETURN = b"return",
    TRY = b"try",
    WHILE = b"while",
    WITH = b"with",
    YIELD = b"yield",

    // Words of Python.
    AND = b"and",
    ASSERT = b"assert",
    DEF = b"def",
    DEL = b"del",
    ELIF = b"elif",
    EXCEPT = b"except",
    GLOBAL = b"global",
    IS = b"is",
    LAMBDA = b"lambda",
    NONLOCAL = b"nonlocal",
    NOT = b"not",
    OR = b"or",
    PASS = b"pass",
    RAISE = b"raise",
    UPPER_FALSE = b"False",
    UPPER_NONE = b"None",
    UPPER_TRUE = b"True",

    // Words of JavaScript and TypeScript.
    ABSTRACT = b"abstract",
    CASE = b"case",
    CATCH = b"catch",
    CONST = b"const",
    DECLARE = b"declare",
    DEFAULT = b"default",
    DELETE = b"delete",
    DO = b"do",
    ENUM = b"enum",
    EXPORT = b"export",
    EXTENDS = b"extends",
    FALSE = b"false",
    FUNCTION = b"function",
    INSTANCEOF = b"instanceof",
    INTERFACE = b"interface",
    LET = b"let",
    NAMESPACE = b"namespace",
    NEW = b"new",
    NULL = b"null",
    OF = b"of",
    SATISFIES = b"satisfies",
    SWITCH = b"switch",
    THROW = b"throw",
    TRUE = b"true",
    TYPEOF = b"typeof",
    UNDEFINED = b"undefined",
    USING = b"using",
    VAR = b"var",
    VOID = b"void",

    // Operators. Of those that set something, the usual ones stand together.
    ADD_SET = b"+=",
    SUBTRACT_SET = b"-=",
    DIVIDE_SET = b"/=",
    WALRUS = b":=",
    AND_AND = b"&&",
    AND_AND_SET = b"&&=",
    AND_SET = b"&=",
    ARROW = b"->",
    AT_SET = b"@=",
    DECREMENT = b"--",
    EQUAL = b"==",
    EQUAL_STRICT = b"===",
    FAT_ARROW = b"=>",
    FLOOR = b"//",
    FLOOR_SET = b"//=",
    INCREMENT = b"++",
    MULTIPLY_SET = b"*=",
    NOT_EQUAL = b"!=",
    NOT_EQUAL_STRICT = b"!==",
    OR_OR = b"||",
    OR_OR_SET = b"||=",
    OR_SET = b"|=",
    POWER = b"**",
    POWER_SET = b"**=",
    QUESTION_DOT = b"?.",
    QUESTIONS = b"??",
    QUESTIONS_SET = b"??=",
    REMAINDER_SET = b"%=",
    SHIFT_LEFT = b"<<",
    SHIFT_LEFT_SET = b"<<=",
    SHIFT_RIGHT = b">>",
    SHIFT_RIGHT_SET = b">>=",
    SPREAD = b"...",
    UP_TO = b"<=",
    FROM_ON = b">=",
    XOR_SET = b"^=",
}

/// The start of a line of Python.
pub const LINE: u8 = b'\n';
/// An operator that nobody asks for.
const OTHER: u8 = 127;

/// Which lengths the words have that begin with a letter: a bit for each.
static LENGTHS: [u16; 256] = {
    let mut lengths = [0; 256];
    let mut at = 0;
    while at < ALL.len() {
        lengths[ALL[at][0] as usize] |= 1 << ALL[at].len();
        at += 1;
    }
    lengths
};

/// The sign of a name; 0 if it is no word of a language. Most are told by their length and first letter.
pub fn of_name(letters: &[u8]) -> u8 {
    match letters.first() {
        Some(first) if letters.len() < 16 && LENGTHS[usize::from(*first)] >> letters.len() & 1 != 0 => {
            match number(letters) {
                OTHER => 0,
                sign => sign,
            }
        }
        _ => 0,
    }
}

/// The sign of an operator.
pub fn of_operator(letters: &[u8]) -> u8 {
    match letters {
        [letter] => *letter,
        letters => number(letters),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_sign_is_found_by_its_letters() {
        for letters in ALL {
            assert!(number(letters) > OTHER, "{letters:?}");
            assert_eq!(number(letters), of_operator(letters));
            if letters[0].is_ascii_alphabetic() {
                assert_eq!(number(letters), of_name(letters));
            }
        }
        assert_eq!(of_name(b"imported"), 0);
        assert_eq!(of_name(b"ab"), 0);
        assert_eq!(of_operator(b","), b',');
    }
}
