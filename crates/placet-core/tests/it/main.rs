mod canonical;
mod digest;
mod json;
