//! Reading JSON never panics, and what was read survives being written and read again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use placet_core::{Json, canonical, json::Number};
use placet_fuzz::bytes_take_time_in_proportion;

fuzz_target!(|bytes: &[u8]| {
    bytes_take_time_in_proportion(bytes, |text| drop(Json::read(text)));
    // Repeated, most texts end at the second value; within brackets they do not.
    bytes_take_time_in_proportion(bytes, |text| drop(Json::read(format!("[{text}"))));
    let Ok(value) = Json::read(bytes) else { return };
    let written = canonical::to_string(&value);
    let again = Json::read(&written).expect("the canonical form reads");
    assert_eq!(again, value, "the canonical form means the same");
    assert_eq!(canonical::to_string(&again), written, "the canonical form is its own");
    // What is written like a float is the float that other readers take it for.
    if let (Json::Number(number), Ok(text)) = (&value, std::str::from_utf8(bytes))
        && text.contains(['.', 'e', 'E'])
    {
        let float = text.trim().parse().ok().and_then(Number::from_f64);
        assert_eq!(float, Some(*number), "other readers take it for another number");
    }
    // Whatever we accept, the grammar we build on accepts too.
    serde_json::from_slice::<serde_json::Value>(bytes).expect("no text is read that is not JSON");
});
