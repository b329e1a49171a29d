//! A statement read by a parser: which tables, under which condition, and what it does on the way.

use std::ops::ControlFlow;

use sqlparser::{
    ast::{
        AlterColumnOperation, AlterTableOperation, AssignmentTarget, CopySource, CopyTarget, Delete, Expr,
        FromTable, Function, Insert, Merge, MergeAction, ObjectName, ObjectType, Query, Select, Statement,
        TableFactor, TableObject, TableWithJoins, Update, UpdateTableFromKind, Value, ValueWithSpan, Visit,
        Visitor,
    },
    dialect::{
        AnsiDialect, BigQueryDialect, ClickHouseDialect, DatabricksDialect, Dialect, DuckDbDialect,
        GenericDialect, HiveDialect, MsSqlDialect, MySqlDialect, OracleDialect, PostgreSqlDialect,
        RedshiftSqlDialect, SQLiteDialect, SnowflakeDialect, SparkSqlDialect, TeradataDialect,
    },
    parser::Parser,
};

use super::{
    QueryReading,
    condition::{Truth, truth},
    effect, known,
    text::{Quoting, Words},
    words,
};
use crate::effect::{Effect, Extent, Sensitivity, TargetKind, Undo, Verb};

/// How deep the parser follows brackets and queries. Together with [`NESTING_MAX`] it keeps the stack small.
const RECURSION_MAX: usize = 24;
/// Operators in a row make a tree as deep as the row is long; longer rows are read by their words.
const NESTING_MAX: usize = 200;
/// Bytes that are parsed for one text, counting every attempt; what comes after is read by its words.
pub(super) const PARSED_MAX: usize = 64 * 1024;

type MakeDialect = fn() -> Box<dyn Dialect>;

/// Dialects in which only a quote ends a string.
const STANDARD: [MakeDialect; 10] = [
    || Box::new(GenericDialect {}),
    || Box::new(PostgreSqlDialect {}),
    || Box::new(MsSqlDialect {}),
    || Box::new(SQLiteDialect {}),
    || Box::new(DuckDbDialect {}),
    || Box::new(OracleDialect {}),
    || Box::new(HiveDialect {}),
    || Box::new(SparkSqlDialect {}),
    || Box::new(TeradataDialect {}),
    || Box::new(AnsiDialect {}),
];
/// Dialects in which `\'` does not.
const ESCAPED: [MakeDialect; 6] = [
    || Box::new(MySqlDialect {}),
    || Box::new(SnowflakeDialect {}),
    || Box::new(BigQueryDialect {}),
    || Box::new(ClickHouseDialect {}),
    || Box::new(DatabricksDialect {}),
    || Box::new(RedshiftSqlDialect {}),
];

/// Reads a statement if some dialect accepts it, and says whether one did.
pub(super) fn read(
    source: &Words<'_>,
    quoting: Option<Quoting>,
    budget: &mut usize,
    reading: &mut QueryReading,
    nested: &mut Vec<String>,
) -> bool {
    let Some(statements) = parse(source, quoting, budget) else { return false };
    for statement in &statements {
        if is_only_described(statement) {
            reading.effects.push(effect(Verb::Read, TargetKind::Table, ""));
            continue;
        }
        let mut collector = Collector {
            reading,
            nested,
            changed: Vec::new(),
            hidden: Vec::new(),
            read: Vec::new(),
            known: true,
        };
        let start = collector.reading.effects.len();
        if is_read_by_structure(statement) {
            let _ = statement.visit(&mut collector);
            collector.finish(start);
        } else {
            collector.known = false;
        }
        if !collector.known {
            words::read(&source.tokens, reading, nested);
        }
    }
    true
}

fn parse(words: &Words<'_>, quoting: Option<Quoting>, budget: &mut usize) -> Option<Vec<Statement>> {
    if words.nesting > NESTING_MAX || words.unclosed {
        return None;
    }
    let source = words.source();
    let escaped = source.contains('`');
    let (first, second): (&[MakeDialect], &[MakeDialect]) = match quoting {
        Some(Quoting::Standard) => (&STANDARD, &[]),
        Some(Quoting::Escaped) => (&ESCAPED, &[]),
        None if escaped => (&ESCAPED, &STANDARD),
        None => (&STANDARD, &ESCAPED),
    };
    for dialect in first.iter().chain(second) {
        *budget = budget.checked_sub(source.len().max(16))?;
        let dialect = dialect();
        let parsed = Parser::new(dialect.as_ref())
            .with_recursion_limit(RECURSION_MAX)
            .try_with_sql(&source)
            .and_then(|mut parser| parser.parse_statements());
        if let Ok(statements) = parsed {
            return Some(statements).filter(|statements| !statements.is_empty());
        }
    }
    None
}

/// `EXPLAIN` without `ANALYZE` runs nothing.
fn is_only_described(statement: &Statement) -> bool {
    let Statement::Explain { analyze, options, .. } = statement else {
        return matches!(statement, Statement::ExplainTable { .. });
    };
    let asked = options.iter().flatten().any(|option| option.name.value.eq_ignore_ascii_case("analyze"));
    !analyze && !asked
}

/// Whether the parts of the statement tell more than its words. What only defines is not followed inside.
fn is_read_by_structure(statement: &Statement) -> bool {
    matches!(
        statement,
        Statement::Query(_)
            | Statement::Insert(_)
            | Statement::Update(_)
            | Statement::Delete(_)
            | Statement::Merge(_)
            | Statement::Truncate(_)
            | Statement::Drop { .. }
            | Statement::AlterTable(_)
            | Statement::CreateTable(_)
            | Statement::Copy { .. }
            | Statement::Explain { .. }
            | Statement::Prepare { .. }
            | Statement::If(_)
            | Statement::While(_)
            | Statement::Case(_)
            | Statement::StartTransaction { .. }
    )
}

/// More tables than these are not named.
const TABLES_MAX: usize = 32;

/// Walks a statement and gathers what it does.
struct Collector<'r> {
    reading: &'r mut QueryReading,
    nested: &'r mut Vec<String>,
    /// Tables that a change was already noted for.
    changed: Vec<String>,
    /// Names that a `WITH` gives: no tables.
    hidden: Vec<String>,
    read: Vec<String>,
    /// Whether every part was one that this file reads.
    known: bool,
}

impl Visitor for Collector<'_> {
    type Break = ();

    fn pre_visit_statement(&mut self, statement: &Statement) -> ControlFlow<()> {
        self.statement(statement);
        ControlFlow::Continue(())
    }

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        if let Some(with) = &query.with {
            let names = with.cte_tables.iter().map(|table| table.alias.name.value.clone());
            self.hidden.extend(names.take(TABLES_MAX));
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_select(&mut self, select: &Select) -> ControlFlow<()> {
        for target in select.into.iter().flat_map(|into| &into.targets) {
            let name = match target {
                Expr::Identifier(name) => name.value.clone(),
                Expr::CompoundIdentifier(names) => {
                    names.iter().map(|name| name.value.as_str()).collect::<Vec<_>>().join(".")
                }
                _ => String::new(),
            };
            if !name.starts_with(['@', ':']) {
                self.reading.effects.push(effect(Verb::Write, TargetKind::Table, &name));
            }
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_table_factor(&mut self, table: &TableFactor) -> ControlFlow<()> {
        match table {
            TableFactor::Table { name, args: None, .. } => {
                let name = shown(name);
                let kept = self.read.len() < TABLES_MAX || known::holds_credentials(&name);
                self.read.extend(kept.then_some(name));
            }
            TableFactor::Table { name, args: Some(args), .. } => {
                let mut literals = Literals::default();
                let _ = args.args.visit(&mut literals);
                self.call(name, &literals);
            }
            TableFactor::Function { name, args, .. } => {
                let mut literals = Literals::default();
                let _ = args.visit(&mut literals);
                self.call(name, &literals);
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        if let Expr::Function(function) = expr {
            self.function(function);
        }
        ControlFlow::Continue(())
    }
}

/// The strings among the arguments of a function.
#[derive(Default)]
struct Literals(Vec<String>);

impl Visitor for Literals {
    type Break = ();

    fn pre_visit_value(&mut self, value: &ValueWithSpan) -> ControlFlow<()> {
        if let Value::SingleQuotedString(text)
        | Value::DoubleQuotedString(text)
        | Value::NationalStringLiteral(text)
        | Value::EscapedStringLiteral(text) = &value.value
        {
            self.0.push(text.clone());
        }
        if self.0.len() < 8 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}

impl Collector<'_> {
    fn function(&mut self, function: &Function) {
        if known::function(&last(&function.name)).is_some() {
            let mut literals = Literals::default();
            let _ = function.args.visit(&mut literals);
            self.call(&function.name, &literals);
        }
    }

    fn call(&mut self, name: &ObjectName, literals: &Literals) {
        let literals: Vec<&str> = literals.0.iter().map(String::as_str).collect();
        known::call(&last(name), &literals, self.reading, self.nested);
    }

    fn push(&mut self, effect: Effect) {
        let name = effect.target.name.clone();
        self.reading.effects.push(effect);
        if known::holds_credentials(&name) {
            let grant = super::effect(Verb::Grant, TargetKind::Account, "a user of the database");
            self.reading.effects.push(grant);
        }
        self.changed.push(name);
    }

    /// Notes the tables that were only read, and something where nothing else was noted.
    fn finish(&mut self, start: usize) {
        let mut noted: Vec<String> = Vec::new();
        for table in std::mem::take(&mut self.read) {
            let known =
                self.changed.contains(&table) || self.hidden.contains(&table) || noted.contains(&table);
            if !known {
                self.reading.effects.push(words::read_of(&table));
                noted.push(table);
            }
        }
        if self.reading.effects.len() == start {
            self.reading.effects.push(effect(Verb::Read, TargetKind::Table, ""));
        }
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Insert(insert) => self.insert(insert),
            Statement::Update(update) => self.update(update),
            Statement::Delete(delete) => self.delete(delete),
            Statement::Merge(merge) => self.merge(merge),
            Statement::Truncate(truncate) => {
                for table in truncate.table_names.iter().take(TABLES_MAX) {
                    let change = effect(Verb::Delete, TargetKind::Table, &shown(&table.name));
                    self.push(whole(change, "deletes every row"));
                }
            }
            Statement::Drop { object_type, names, temporary, .. } => {
                for name in names.iter().take(TABLES_MAX) {
                    self.push(dropped(*object_type, &shown(name), *temporary));
                }
            }
            Statement::AlterTable(alter) => {
                let name = shown(&alter.name);
                let mut changes: Vec<Effect> = Vec::new();
                for operation in &alter.operations {
                    let change = altered(&name, operation);
                    if !changes.contains(&change) {
                        changes.push(change);
                    }
                }
                changes.into_iter().for_each(|change| self.push(change));
            }
            Statement::CreateTable(create) => {
                let change = effect(Verb::Write, TargetKind::Table, &shown(&create.name));
                self.push(if create.or_replace && !create.temporary {
                    whole(change, "replaces the table of that name with everything in it")
                } else {
                    change
                });
            }
            Statement::Copy { source, to, target, .. } => self.copy(source, *to, target),
            // The visitor goes on to what stands inside.
            Statement::Query(_)
            | Statement::Explain { .. }
            | Statement::Prepare { .. }
            | Statement::If(_)
            | Statement::While(_)
            | Statement::Case(_)
            | Statement::StartTransaction { .. } => {}
            _ => self.known = false,
        }
    }

    fn insert(&mut self, insert: &Insert) {
        let name = match &insert.table {
            TableObject::TableName(name) => shown(name),
            TableObject::TableFunction(function) => last(&function.name),
            TableObject::TableQuery(_) => String::new(),
        };
        let change = effect(Verb::Write, TargetKind::Table, &name);
        self.push(if insert.overwrite { whole(change, "replaces every row") } else { change });
    }

    fn update(&mut self, update: &Update) {
        let name = match (&update.from, table_name(&update.table)) {
            (_, Some(name)) => name,
            (Some(UpdateTableFromKind::BeforeSet(tables)), None) => {
                tables.first().and_then(table_name).unwrap_or_default()
            }
            (_, None) => String::new(),
        };
        let change = effect(Verb::Write, TargetKind::Table, &name).extent(Extent::Several);
        // `SET a = a` alone changes nothing that anybody would miss.
        let idle =
            update.assignments.iter().all(|assignment| match (&assignment.target, &assignment.value) {
                (AssignmentTarget::ColumnName(column), Expr::Identifier(value)) => {
                    column.0.len() == 1 && last(column) == value.value
                }
                _ => false,
            });
        self.push(if is_narrowed(update.selection.as_ref(), update.limit.as_ref()) || idle {
            change
        } else {
            whole(change, "changes every row")
        });
    }

    fn delete(&mut self, delete: &Delete) {
        let narrowed = is_narrowed(delete.selection.as_ref(), delete.limit.as_ref());
        let (FromTable::WithFromKeyword(from) | FromTable::WithoutKeyword(from)) = &delete.from;
        let names: Vec<String> = if delete.tables.is_empty() {
            from.iter().take(TABLES_MAX).filter_map(table_name).collect()
        } else {
            delete.tables.iter().take(TABLES_MAX).map(shown).collect()
        };
        for name in if names.is_empty() { vec![String::new()] } else { names } {
            let change = effect(Verb::Delete, TargetKind::Table, &name).extent(Extent::Several);
            self.push(if narrowed { change } else { whole(change, "deletes every row") });
        }
    }

    fn merge(&mut self, merge: &Merge) {
        let name = match &merge.table {
            TableFactor::Table { name, .. } => shown(name),
            _ => String::new(),
        };
        let deletes = merge.clauses.iter().any(|clause| matches!(clause.action, MergeAction::Delete { .. }));
        let change = effect(if deletes { Verb::Delete } else { Verb::Write }, TargetKind::Table, &name);
        let change = change.extent(Extent::Several);
        self.push(match (deletes, truth(&merge.on)) {
            (true, Truth::Always) => whole(change, "deletes every row"),
            (true, Truth::Never | Truth::Depends) => {
                change.undo(Undo::Impossible).words("deletes whatever matches")
            }
            (false, Truth::Always) => whole(change, "changes every row"),
            (false, Truth::Never | Truth::Depends) => change,
        });
    }

    fn copy(&mut self, source: &CopySource, to: bool, target: &CopyTarget) {
        let name = match source {
            CopySource::Table { table_name, .. } => shown(table_name),
            CopySource::Query(_) => String::new(),
        };
        if !to {
            self.push(effect(Verb::Write, TargetKind::Table, &name));
        } else if !name.is_empty() {
            self.reading.effects.push(words::read_of(&name));
        }
        match target {
            CopyTarget::Program { command } => {
                self.reading.shell.push(command.clone());
                self.reading.effects.push(
                    effect(Verb::Execute, TargetKind::Command, "COPY … PROGRAM")
                        .undo(Undo::Impossible)
                        .words("runs a command on the database server"),
                );
            }
            CopyTarget::File { filename } if filename.contains("://") => {
                words::send(filename, to, self.reading)
            }
            CopyTarget::File { filename } => self.reading.paths.push((filename.clone(), to)),
            CopyTarget::Stdin | CopyTarget::Stdout => {}
        }
    }
}

/// The change made to all there is, for good.
fn whole(change: Effect, words: &'static str) -> Effect {
    change.extent(Extent::Unbounded).undo(Undo::Impossible).words(words)
}

/// Limits from here on narrow nothing.
const LIMIT_MAX: u32 = 10_000;

/// Whether a condition or a limit leaves rows untouched.
fn is_narrowed(selection: Option<&Expr>, limit: Option<&Expr>) -> bool {
    let limited = match limit {
        Some(Expr::Value(value)) => match &value.value {
            Value::Number(digits, _) => digits.parse::<u32>().is_ok_and(|limit| limit < LIMIT_MAX),
            _ => false,
        },
        _ => false,
    };
    limited || selection.is_some_and(|selection| truth(selection) != Truth::Always)
}

fn dropped(kind: ObjectType, name: &str, temporary: bool) -> Effect {
    match kind {
        ObjectType::User | ObjectType::Role => {
            effect(Verb::Delete, TargetKind::Account, name).undo(Undo::Impossible)
        }
        ObjectType::Schema | ObjectType::Database => {
            whole(effect(Verb::Delete, TargetKind::Table, name), "drops it with everything in it")
        }
        _ => effect(Verb::Delete, TargetKind::Table, name)
            .undo(if temporary { Undo::Possible } else { Undo::Impossible })
            .words("drops it with everything in it"),
    }
}

fn altered(name: &str, operation: &AlterTableOperation) -> Effect {
    let guard = |words: &'static str| {
        let change = effect(Verb::Configure, TargetKind::Table, name).words(words);
        Effect { target: change.target.clone().with(Sensitivity::System), ..change }
    };
    match operation {
        AlterTableOperation::DropColumn { .. }
        | AlterTableOperation::DropPartitions { .. }
        | AlterTableOperation::DropProjection { .. }
        | AlterTableOperation::ClearProjection { .. } => {
            effect(Verb::Delete, TargetKind::Table, name).undo(Undo::Impossible).words("drops part of it")
        }
        AlterTableOperation::DropConstraint { .. }
        | AlterTableOperation::DropPrimaryKey { .. }
        | AlterTableOperation::DropForeignKey { .. } => guard("removes a check that guards it"),
        AlterTableOperation::DropIndex { .. } => {
            effect(Verb::Delete, TargetKind::Table, name).words("drops an index of it")
        }
        AlterTableOperation::DisableRowLevelSecurity
        | AlterTableOperation::NoForceRowLevelSecurity
        | AlterTableOperation::DisableRule { .. }
        | AlterTableOperation::DisableTrigger { .. } => guard("switches off what guards it"),
        AlterTableOperation::OwnerTo { new_owner } => {
            effect(Verb::Grant, TargetKind::Account, &new_owner.to_string())
        }
        AlterTableOperation::RenameTable { .. }
        | AlterTableOperation::RenameColumn { .. }
        | AlterTableOperation::SwapWith { .. } => {
            effect(Verb::Write, TargetKind::Table, name).words("renames it, and what uses the old name fails")
        }
        AlterTableOperation::AlterColumn { op: AlterColumnOperation::SetDataType { .. }, .. }
        | AlterTableOperation::ModifyColumn { .. }
        | AlterTableOperation::ChangeColumn { .. } => {
            effect(Verb::Write, TargetKind::Table, name).words("changes the type of a column")
        }
        _ => effect(Verb::Write, TargetKind::Table, name),
    }
}

fn table_name(table: &TableWithJoins) -> Option<String> {
    match &table.relation {
        TableFactor::Table { name, .. } => Some(shown(name)),
        _ => None,
    }
}

/// A name as people write it, without quotes.
fn shown(name: &ObjectName) -> String {
    let mut text = String::new();
    for part in &name.0 {
        if !text.is_empty() {
            text.push('.');
        }
        text.push_str(part.as_ident().map_or("", |ident| &ident.value));
    }
    text
}

/// The last part of a name: the function without its schema.
fn last(name: &ObjectName) -> String {
    name.0.last().and_then(|part| part.as_ident()).map_or_else(String::new, |ident| ident.value.clone())
}
