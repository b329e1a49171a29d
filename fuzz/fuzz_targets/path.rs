//! Spelling a path in a roundabout way never changes what it means.
#![no_main]

use libfuzzer_sys::fuzz_target;
use placet_core::effect::path::{classify, is_block_device, join};
use placet_fuzz::takes_time_in_proportion;

fuzz_target!(|text: &str| {
    takes_time_in_proportion(text, |text| drop(classify(text, Some("/srv/shop"))));
    // The second line, if there is one, is the working directory.
    let (path, cwd) = text.split_once('\n').map_or((text, None), |(path, cwd)| (path, Some(cwd)));
    let plain = classify(path, cwd);
    is_block_device(path);
    join(cwd.unwrap_or("/work"), path);

    // `\\.\` and URLs have a grammar of their own, in which a slash more is another name.
    if path.contains('\\') || path.contains("//") || path.contains(':') {
        return;
    }
    for (at, _) in path.match_indices('/') {
        let padded = format!("{}/./{}", &path[..at], &path[at + 1..]);
        let found = classify(&padded, cwd);
        assert_eq!(
            (plain.sensitivity, plain.place, plain.broad),
            (found.sensitivity, found.place, found.broad),
            "{path:?} and {padded:?} from {cwd:?}: {plain:?} / {found:?}",
        );
    }
});
