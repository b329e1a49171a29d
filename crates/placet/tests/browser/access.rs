//! For everybody: names and landmarks for those who listen, contrast for those who see little, room for those who point badly.

use serde_json::{Value, json};

use crate::{place, tab::Tab, tour::every_page};

/// Texts whose colour is too close to what is behind them, with the contrast they have.
const FAINT: &str = r#"
const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
canvas.canvas.width = canvas.canvas.height = 1;
const known = new Map();
const rgba = (colour) => {
  if (!known.has(colour)) {
    canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
    known.set(colour, [...canvas.getImageData(0, 0, 1, 1).data]);
  }
  return known.get(colour);
};
const over = ([r, g, b, a], [R, G, B]) => [r, g, b].map((c, i) => c * a / 255 + [R, G, B][i] * (1 - a / 255));
const light = (colour) => {
  const [r, g, b] = colour.map((c) => (c /= 255, c <= .04045 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4));
  return .2126 * r + .7152 * g + .0722 * b;
};
const behind = (element) => {
  const layers = [];
  for (let e = element; e; e = e.parentElement) layers.unshift(rgba(getComputedStyle(e).backgroundColor));
  const scheme = matchMedia('(prefers-color-scheme: dark)').matches ? [18, 18, 18] : [255, 255, 255];
  return layers.reduce((below, layer) => over(layer, below), scheme);
};
const faint = [];
const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (texts.nextNode()) {
  const e = texts.currentNode.parentElement;
  if (!texts.currentNode.data.trim() || !e.checkVisibility({opacityProperty: true, visibilityProperty: true})) continue;
  if (e.closest('.sr, .skip, svg, script, :disabled')) continue;
  const style = getComputedStyle(e), back = behind(e);
  const [a, b] = [light(over(rgba(style.color), back)), light(back)];
  const contrast = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
  const size = parseFloat(style.fontSize), large = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
  if (contrast < (large ? 3 : 4.5)) faint.push(`${contrast.toFixed(2)} "${texts.currentNode.data.trim().slice(0, 40)}" in ${e.tagName}.${e.className}`);
}
return [...new Set(faint)];
"#;

/// What is wrong with the structure of a page.
const STRUCTURE: &str = r#"
const wrong = [], all = (what) => [...document.querySelectorAll(what)];
if (all('h1').length !== 1) wrong.push(`${all('h1').length} h1`);
if (!document.documentElement.lang) wrong.push('no language');
if (!document.title) wrong.push('no title');
if (all('main').length !== 1) wrong.push('not one main');
if (all('nav').some((n) => !n.getAttribute('aria-label') && all('nav').length > 1)) wrong.push('a nav without a name');
if (all('nav').some((n) => n.querySelectorAll('[aria-current=page]').length > 1)) wrong.push('several current places');
let level = 0;
for (const heading of all('h1, h2, h3, h4, h5, h6').filter((h) => h.checkVisibility())) {
  const next = +heading.tagName[1];
  if (level && next > level + 1) wrong.push(`h${next} "${heading.innerText.slice(0, 40)}" after h${level}`);
  level = next;
}
const ids = all('[id]').map((e) => e.id);
for (const id of new Set(ids.filter((id, at) => ids.indexOf(id) !== at))) wrong.push(`two have the id ${id}`);
for (const attribute of ['aria-labelledby', 'aria-describedby', 'for'])
  for (const e of all(`[${attribute}]`))
    for (const id of e.getAttribute(attribute).split(' '))
      if (!document.getElementById(id)) wrong.push(`${attribute} of ${e.tagName} names ${id}, which is not there`);
for (const table of all('table')) if (!table.querySelector('th')) wrong.push('a table without headings');
for (const e of all('[style]')) wrong.push(`a style at ${e.tagName}`);
for (const e of all('button, .btn, input:not([type=hidden], [type=checkbox], [type=radio]), select, summary')) {
  const {width, height} = e.getBoundingClientRect();
  if (e.checkVisibility() && !e.matches('.link') && (width < 24 || height < 24))
    wrong.push(`${e.tagName} "${(e.innerText || e.name).slice(0, 30)}" is only ${Math.round(width)} by ${Math.round(height)}`);
}
return [...new Set(wrong)];
"#;

/// Controls that whoever listens would hear nothing of.
fn nameless(tab: &Tab) -> Vec<String> {
    const CONTROLS: [&str; 12] = [
        "button",
        "link",
        "textbox",
        "searchbox",
        "checkbox",
        "radio",
        "combobox",
        "listbox",
        "slider",
        "spinbutton",
        "switch",
        "heading",
    ];
    let tree = tab.devtools("Accessibility.getFullAXTree", json!({}));
    let nodes = tree["nodes"].as_array().expect("a tree");
    let value = |node: &Value, key: &str| node[key]["value"].as_str().unwrap_or_default().to_owned();
    let controls = nodes
        .iter()
        .filter(|node| node["ignored"] != true && CONTROLS.contains(&value(node, "role").as_str()));
    let nameless = controls.filter(|node| value(node, "name").trim().is_empty());
    nameless.map(|node| format!("a {} without a name", value(node, "role"))).collect()
}

fn list(tab: &Tab, script: &str) -> Vec<String> {
    let told = tab.ask(script, json!([]));
    told.as_array().expect("a list").iter().map(|line| line.as_str().expect("a text").to_owned()).collect()
}

#[test]
fn every_page_can_be_read_by_everybody() {
    let place = place::busy();
    let tab = place.operator();
    let mut wrong = Vec::new();
    every_page(&tab, |path| {
        let mut say =
            |what: Vec<String>| wrong.extend(what.into_iter().map(|what| format!("{path}: {what}")));
        say(list(&tab, STRUCTURE));
        say(nameless(&tab));
        for (dark, scheme) in [(false, "light"), (true, "dark")] {
            tab.dark(dark);
            say(list(&tab, FAINT).into_iter().map(|text| format!("{scheme}: {text}")).collect());
        }
        tab.dark(false);
    });
    let stranger = place.stranger();
    stranger.go("/sign-in");
    for script in [STRUCTURE, FAINT] {
        wrong.extend(list(&stranger, script));
    }
    wrong.extend(nameless(&stranger));
    assert!(wrong.is_empty(), "{wrong:#?}");
}
