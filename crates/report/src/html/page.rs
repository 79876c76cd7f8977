//! The page: head, title, facts, contents, sections, foot; all in one file.

use super::blocks::Facts;
use super::chart;
use super::markup::{Html, escape};
use super::sprite;
use crate::{Verdict, number};
use dyno_trials::RunHeader;

const STYLE: &str = include_str!("style.css");
const DARK: &str = include_str!("dark.css");
const SCRIPT: &str = include_str!("script.js");

/// Nothing is fetched, whatever a page contains: the browser itself enforces it.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; \
    script-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/// A whole report.
#[derive(Clone, Debug, Default)]
pub struct Page {
    title: String,
    command: Option<String>,
    verdict: Option<(Verdict, String)>,
    lead: Option<Html>,
    facts: Facts,
    top: Html,
    sections: Vec<Section>,
    foot: Option<Html>,
}

impl Page {
    /// An empty page with its heading.
    pub fn new(title: impl Into<String>) -> Page {
        Page { title: title.into(), ..Page::default() }
    }

    /// The command that made it, without `dyno`: shown beside the name.
    #[must_use]
    pub fn command(mut self, command: impl Into<String>) -> Page {
        self.command = Some(command.into());
        self
    }

    /// One sentence under the heading: the result in words.
    #[must_use]
    pub fn lead(mut self, lead: impl Into<Html>) -> Page {
        self.lead = Some(lead.into());
        self
    }

    /// The result in one line, first on the page and in the colour of its verdict.
    #[must_use]
    pub fn verdict(mut self, verdict: Verdict, text: impl Into<String>) -> Page {
        self.verdict = Some((verdict, text.into()));
        self
    }

    /// When, where and how the run was made.
    #[must_use]
    pub fn run<P>(self, header: &RunHeader<P>) -> Page {
        let machine = &header.machine;
        let cpu = machine.cpu.as_ref().map_or(String::new(), |cpu| format!("{cpu}, "));
        let cores = number::plural(machine.cores as u64, "processor", "processors");
        let place = format!("{cpu}{cores}, {} {}", machine.os, machine.arch);
        self.fact("Date", number::date(header.created_ms))
            .fact("Machine", place)
            .fact("Command", Html::code(header.command.join(" ")))
    }

    /// A fact of the run, listed under the heading: engine, limits, date.
    #[must_use]
    pub fn fact(mut self, name: impl Into<Html>, value: impl Into<Html>) -> Page {
        self.facts = self.facts.fact(name, value);
        self
    }

    /// A block before the first section.
    #[must_use]
    #[allow(clippy::should_implement_trait, reason = "adds a block; no arithmetic in sight")]
    pub fn add(mut self, block: impl Into<Html>) -> Page {
        self.top.push(block);
        self
    }

    /// The next section.
    #[must_use]
    pub fn section(mut self, section: Section) -> Page {
        self.sections.push(section);
        self
    }

    /// The next section, where there is one.
    #[must_use]
    pub fn section_if(self, section: Option<Section>) -> Page {
        match section {
            Some(section) => self.section(section),
            None => self,
        }
    }

    /// What stands in the foot beside Dyno's version: how the page was made, when.
    #[must_use]
    pub fn foot(mut self, foot: impl Into<Html>) -> Page {
        self.foot = Some(foot.into());
        self
    }

    /// The whole file.
    #[must_use]
    pub fn render(&self) -> String {
        let title = escape(&self.title);
        let command = self.command.as_deref().map(escape).unwrap_or_default();
        let lead = self
            .lead
            .as_ref()
            .map_or(String::new(), |lead| format!("<p class=\"lead\">{lead}</p>\n"));
        let verdict = self.verdict.as_ref().map_or(String::new(), |(verdict, text)| {
            let class = verdict.word();
            format!("<p class=\"note verdict {class}\"><strong>{}</strong></p>\n", escape(text))
        });
        let facts = if self.facts.is_empty() { Html::default() } else { self.facts.clone().into() };
        let sections: Html =
            self.sections.iter().enumerate().map(|(n, s)| s.render(n + 1)).collect();
        let foot = self.foot.as_ref().map_or(String::new(), |foot| format!("<p>{foot}</p>\n"));
        let body = format!("{}{sections}", self.top);
        let sprite = if sprite::is_used(&body) { sprite::hidden() } else { String::new() };
        format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             {policy}<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"generator\" content=\"Dyno {version}\">\n<title>{title} · Dyno</title>\n\
             <link rel=\"icon\" href=\"{ICON}\">\n{style}\n</head>\n<body>\n\
             <a class=\"skip-link\" href=\"#main\">Skip to the report</a>\n{sprite}\
             <header class=\"top\">\n<p class=\"brand\">{LOGO}<span>dyno {command}</span></p>\n</header>\n\
             <main id=\"main\">\n<h1>{title}</h1>\n{verdict}{lead}{facts}{nav}{body}</main>\n\
             <footer>\n{foot}<p>Made by Dyno {version}, the test bench for chess engines.</p>\n</footer>\n\
             {script}\n</body>\n</html>\n",
            version = env!("CARGO_PKG_VERSION"),
            policy = inline_policy(),
            style = inline_style(),
            script = inline_script(),
            nav = self.contents(),
        )
    }

    /// Links to the sections, once there are enough of them to get lost in.
    fn contents(&self) -> String {
        if self.sections.len() < 3 {
            return String::new();
        }
        let link = |(n, section): (usize, &Section)| {
            format!("<li><a href=\"#s{}\">{}</a></li>", n + 1, escape(&section.title))
        };
        let links: String = self.sections.iter().enumerate().map(link).collect();
        format!("<nav aria-label=\"Sections\"><ul>{links}</ul></nav>\n")
    }
}

/// A part of a page under its own heading.
#[derive(Clone, Debug, Default)]
pub struct Section {
    title: String,
    body: Html,
}

impl Section {
    /// An empty section with its heading.
    pub fn new(title: impl Into<String>) -> Section {
        Section { title: title.into(), body: Html::default() }
    }

    /// A paragraph.
    #[must_use]
    pub fn text(self, text: impl Into<Html>) -> Section {
        self.add(Html::paragraph(text))
    }

    /// A smaller heading inside the section.
    #[must_use]
    pub fn heading(self, text: &str) -> Section {
        self.add(Html::trusted(format!("<h3>{}</h3>\n", escape(text))))
    }

    /// Any block.
    #[must_use]
    #[allow(clippy::should_implement_trait, reason = "adds a block; no arithmetic in sight")]
    pub fn add(mut self, block: impl Into<Html>) -> Section {
        self.body.push(block);
        self
    }

    fn render(&self, number: usize) -> Html {
        let title = escape(&self.title);
        Html::trusted(format!(
            "<section id=\"s{number}\" aria-labelledby=\"h{number}\">\n\
             <h2 id=\"h{number}\">{title}</h2>\n{}</section>\n",
            self.body
        ))
    }
}

/// A rendered page with one more section at its end.
#[must_use]
pub fn extended(page: &str, section: &Section) -> String {
    let number = page.matches("<section id=\"s").count() + 1;
    match page.rsplit_once("</main>") {
        Some((before, after)) => format!("{before}{}</main>{after}", section.render(number)),
        None => page.to_owned(),
    }
}

/// A page as a server sends it: style and script come from addresses of their own, under a policy
/// of the server's that allows nothing inline, and `links` lead from it to other pages.
///
/// [`stylesheet`] is expected at `/assets/report.css` and [`script`] at `/assets/report.js`; beside
/// them the server may have rules and a script of its own, in `site.css` and `site.js`.
#[must_use]
pub fn served(page: &str, links: &Html) -> String {
    let style = "<link rel=\"stylesheet\" href=\"/assets/report.css\">\n\
                 <link rel=\"stylesheet\" href=\"/assets/site.css\">";
    let script = "<script src=\"/assets/report.js\"></script>\n\
                  <script src=\"/assets/site.js\"></script>";
    let nav = match links.is_empty() {
        true => String::new(),
        false => format!("<nav class=\"site\" aria-label=\"Pages\">{links}</nav>\n"),
    };
    page.replacen(&inline_style(), style, 1)
        .replacen(&inline_script(), script, 1)
        .replacen(&inline_policy(), "", 1)
        .replacen("</header>", &format!("{nav}</header>"), 1)
}

/// The rules of every page.
#[must_use]
pub fn stylesheet() -> String {
    style()
}

/// The script of every page.
#[must_use]
pub fn script() -> &'static str {
    SCRIPT
}

fn inline_style() -> String {
    format!("<style>\n{}</style>", style())
}

fn inline_script() -> String {
    format!("<script>\n{SCRIPT}</script>")
}

fn inline_policy() -> String {
    format!("<meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n")
}

/// The dark colours serve twice: when the system asks for them and when the reader does.
fn style() -> String {
    STYLE.replace("/* dark */", DARK.trim()) + chart::STYLE
}

/// A dial with its needle: Dyno's mark.
const LOGO: &str = "<svg class=\"logo\" viewBox=\"0 0 32 32\" width=\"28\" height=\"28\" aria-hidden=\"true\">\
    <path class=\"dial\" d=\"M5 23a12 12 0 1 1 22 0\"/><path class=\"needle\" d=\"M16 20 22.5 10.5\"/>\
    <circle class=\"hub\" cx=\"16\" cy=\"20\" r=\"3\"/></svg>";

const ICON: &str = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32' \
    fill='none' stroke-linecap='round'%3E%3Cpath d='M5 23a12 12 0 1 1 22 0' stroke='%231f5fbf' \
    stroke-width='4'/%3E%3Cpath d='M16 20 22.5 10.5' stroke='%23d9540b' stroke-width='3'/%3E%3C/svg%3E";
