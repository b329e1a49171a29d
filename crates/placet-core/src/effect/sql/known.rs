//! Names that mean more than their place in a statement says: functions that act, tables that hold secrets.

use super::QueryReading;
use crate::effect::{Effect, Sensitivity, Target, TargetKind, Undo, Verb};

/// What a function does besides giving a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Deed {
    /// Reads the file that its text argument names.
    ReadsFile,
    /// Writes the file that its text argument names.
    WritesFile,
    /// Runs its text argument in a shell on the server.
    Runs,
    /// Runs its text argument as a statement.
    Executes,
    /// Stops, starts or reshapes the server or the work of others.
    Configures,
    /// Changes data.
    Changes,
}

/// What the function called `name` does, if more than compute.
pub(super) fn function(name: &str) -> Option<Deed> {
    let last = name.rsplit('.').next().unwrap_or(name);
    if last.len() < 5 || last.len() > 40 {
        return None;
    }
    let mut buffer = [0u8; 40];
    let lower = &mut buffer[..last.len()];
    lower.copy_from_slice(last.as_bytes());
    lower.make_ascii_lowercase();
    Some(match &*lower {
        b"pg_read_file"
        | b"pg_read_binary_file"
        | b"load_file"
        | b"lo_import"
        | b"pg_ls_dir"
        | b"pg_stat_file"
        | b"readfile"
        | b"openrowset"
        | b"read_csv"
        | b"read_csv_auto"
        | b"read_text"
        | b"read_blob"
        | b"read_parquet"
        | b"read_json"
        | b"read_json_auto"
        | b"bfilename"
        | b"xp_fileexist"
        | b"xp_dirtree"
        | b"xp_readerrorlog" => Deed::ReadsFile,
        b"lo_export" | b"pg_file_write" | b"writefile" | b"pg_file_rename" | b"pg_file_unlink" => {
            Deed::WritesFile
        }
        b"sys_exec" | b"sys_eval" | b"xp_cmdshell" => Deed::Runs,
        b"dblink_exec" | b"dblink" | b"query_to_xml" | b"sp_executesql" | b"database_to_xml" => {
            Deed::Executes
        }
        b"pg_terminate_backend"
        | b"pg_cancel_backend"
        | b"pg_switch_wal"
        | b"pg_switch_xlog"
        | b"pg_drop_replication_slot"
        | b"pg_create_physical_replication_slot"
        | b"pg_create_logical_replication_slot"
        | b"pg_replication_origin_drop"
        | b"pg_promote"
        | b"pg_reload_conf"
        | b"pg_rotate_logfile"
        | b"pg_wal_replay_pause"
        | b"pg_stat_reset"
        | b"pg_stat_statements_reset"
        | b"set_config"
        | b"load_extension"
        | b"sp_configure"
        | b"sp_oacreate"
        | b"sp_oamethod"
        | b"sp_addlogin"
        | b"sp_addsrvrolemember"
        | b"sp_addrolemember"
        | b"sp_dropserver"
        | b"sp_addlinkedserver"
        | b"sp_password"
        | b"sp_add_job"
        | b"sp_start_job"
        | b"sp_add_jobstep"
        | b"xp_regwrite"
        | b"xp_regdeletekey"
        | b"xp_regdeletevalue"
        | b"xp_servicecontrol"
        | b"rds_kill"
        | b"system$abort_session"
        | b"system$cancel_all_queries" => Deed::Configures,
        b"setval"
        | b"lo_unlink"
        | b"lo_put"
        | b"lo_create"
        | b"lo_from_bytea"
        | b"lowrite"
        | b"pg_logical_emit_message"
        | b"drop_chunks"
        | b"sp_rename"
        | b"sp_dropuser"
        | b"sp_droplogin"
        | b"sp_detach_db"
        | b"sp_attach_db"
        | b"sp_delete_job"
        | b"sp_msforeachtable" => Deed::Changes,
        _ => return None,
    })
}

/// Puts into `reading` what calling `name` does, where `literals` are its text arguments.
pub(super) fn call(name: &str, literals: &[&str], reading: &mut QueryReading, nested: &mut Vec<String>) {
    let Some(deed) = function(name) else { return };
    let first = literals.first().copied().unwrap_or("");
    match deed {
        Deed::ReadsFile | Deed::WritesFile if first.is_empty() => {
            let verb = if deed == Deed::ReadsFile { Verb::Read } else { Verb::Write };
            reading.effects.push(super::effect(verb, TargetKind::Path, "a file of the database server"));
        }
        Deed::ReadsFile => reading.paths.push((first.to_owned(), false)),
        Deed::WritesFile => reading.paths.push((first.to_owned(), true)),
        Deed::Runs => {
            if !first.is_empty() {
                reading.shell.push(first.to_owned());
            }
            reading.effects.push(
                super::effect(Verb::Execute, TargetKind::Command, name)
                    .undo(Undo::Impossible)
                    .words("runs a command on the database server"),
            );
        }
        Deed::Executes => {
            reading.effects.push(super::effect(Verb::Execute, TargetKind::Table, name));
            nested.extend(literals.iter().map(|text| (*text).to_owned()));
        }
        Deed::Configures => {
            let target = Target::new(TargetKind::Service, name).with(Sensitivity::System);
            reading
                .effects
                .push(Effect { target, ..super::effect(Verb::Configure, TargetKind::Service, "") });
        }
        Deed::Changes => {
            let target = Target::new(TargetKind::Table, first).with(Sensitivity::System);
            let change = super::effect(Verb::Configure, TargetKind::Table, "").undo(Undo::Impossible);
            reading.effects.push(Effect { target, ..change });
        }
    }
}

/// Whether the table holds passwords, their hashes or keys of the database itself.
pub(super) fn holds_credentials(table: &str) -> bool {
    let Some(last) = table.rsplit('.').next().filter(|last| (4..=24).contains(&last.len())) else {
        return false;
    };
    const TABLES: [&str; 15] = [
        "pg_shadow",
        "pg_authid",
        "pg_user_mapping",
        "pg_user_mappings",
        "sql_logins",
        "syslogins",
        "sysxlogins",
        "dba_users",
        "user$",
        "global_priv",
        "duckdb_secrets",
        "syspasswords",
        "symmetric_keys",
        "asymmetric_keys",
        "dba_db_links",
    ];
    if TABLES.iter().any(|known| last.eq_ignore_ascii_case(known)) {
        return true;
    }
    // `user` alone is any application's; in the schema of the server it holds the hashes.
    let schema = table.len().checked_sub(last.len() + 1).map_or("", |end| &table[..end]);
    schema.eq_ignore_ascii_case("mysql")
        && (last.eq_ignore_ascii_case("user") || last.eq_ignore_ascii_case("authentication_user"))
}
