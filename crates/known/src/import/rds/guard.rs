//! Limits on the actions of SQLite: databases and scripts are not trusted.
//!
//! In a database, SQLite may only read tables and views of their columns. It may not call functions whose results grow,
//! run recursive queries, or take more steps than the size of the database justifies. A script may only change rows of
//! tables.

use super::script::LONGEST_STATEMENT;
use crate::build::BuildProgress;
use crate::error::Why;
use rusqlite::config::DbConfig;
use rusqlite::hooks::{AuthAction, Authorization};
use rusqlite::limits::Limit;
use rusqlite::{Connection, Error, ErrorCode};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};

/// The most tables, indexes and views of a database: an RDS has about twenty.
pub(super) const MOST_ITEMS: usize = 1000;

/// The most bytes of a row or a value: the names and descriptions of an RDS have some hundreds.
const LONGEST_ROW: usize = 1 << 20;

/// Steps of SQLite's virtual machine between two checks of the limit and of the flag that ends the build.
const EVERY: u64 = 10_000;

/// Functions that the views of full sets call, and that a delta may call. Their results are about as long as their
/// arguments.
const FUNCTIONS: [&str; 16] = [
    "upper",
    "lower",
    "coalesce",
    "ifnull",
    "nullif",
    "iif",
    "if",
    "trim",
    "ltrim",
    "rtrim",
    "substr",
    "substring",
    "length",
    "count",
    "min",
    "max",
];

/// The author of a statement, which determines what is allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// This crate: anything, without a limit of steps.
    Own,
    /// A delta: may change rows of tables.
    Script,
    /// The views of a database: may read tables.
    View,
}

const ROLES: [Role; 3] = [Role::Own, Role::Script, Role::View];

/// Enforces the limits of a connection.
pub(super) struct Guard {
    role: Arc<AtomicU8>,
    steps: Arc<AtomicU64>,
}

impl Guard {
    /// Limits a connection from now on; `tables` may be read, and changed by scripts.
    pub fn set(
        connection: &mut Connection,
        tables: Vec<String>,
        progress: &Arc<BuildProgress>,
    ) -> Result<Self, Error> {
        let guard =
            Guard { role: Arc::new(AtomicU8::new(Role::Own as u8)), steps: Arc::new(AtomicU64::new(0)) };
        let (role, steps, progress) =
            (Arc::clone(&guard.role), Arc::clone(&guard.steps), Arc::clone(progress));
        connection.progress_handler(
            EVERY as i32,
            Some(move || {
                let spent = current(&role) != Role::Own && !spend(&steps);
                spent || progress.is_cancelled()
            }),
        )?;
        let role = Arc::clone(&guard.role);
        connection.authorizer(Some(move |context: rusqlite::hooks::AuthContext<'_>| {
            match allows(current(&role), &context.action, &tables) {
                true => Authorization::Allow,
                false => Authorization::Deny,
            }
        }))?;
        Ok(guard)
    }

    /// Runs a function in a role, limited to this many steps of SQLite's virtual machine.
    pub fn within<T>(&self, role: Role, steps: u64, work: impl FnOnce() -> T) -> T {
        self.begin(role, steps);
        let result = work();
        self.begin(Role::Own, 0);
        result
    }

    /// Starts a role with this many steps.
    pub fn begin(&self, role: Role, steps: u64) {
        self.steps.store(steps, Relaxed);
        self.role.store(role as u8, Relaxed);
    }
}

fn current(role: &AtomicU8) -> Role {
    ROLES[usize::from(role.load(Relaxed)) % ROLES.len()]
}

fn spend(steps: &AtomicU64) -> bool {
    let left = steps.load(Relaxed);
    steps.store(left.saturating_sub(EVERY), Relaxed);
    left >= EVERY
}

/// Sets limits far above the needs of any RDS.
pub(super) fn confine(connection: &Connection) -> Result<(), Error> {
    let limits = [
        (Limit::SQLITE_LIMIT_LENGTH, LONGEST_ROW as i32),
        (Limit::SQLITE_LIMIT_SQL_LENGTH, LONGEST_STATEMENT as i32),
        (Limit::SQLITE_LIMIT_COLUMN, 100),
        (Limit::SQLITE_LIMIT_EXPR_DEPTH, 100),
        (Limit::SQLITE_LIMIT_COMPOUND_SELECT, 20),
        (Limit::SQLITE_LIMIT_FUNCTION_ARG, 20),
        (Limit::SQLITE_LIMIT_ATTACHED, 0),
        (Limit::SQLITE_LIMIT_TRIGGER_DEPTH, 1),
        (Limit::SQLITE_LIMIT_WORKER_THREADS, 0),
        (Limit::SQLITE_LIMIT_SCHEMA, MOST_ITEMS as i32),
    ];
    for (limit, most) in limits {
        connection.set_limit(limit, most)?;
    }
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_FKEY, false)?;
    connection.execute_batch("PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0; PRAGMA trusted_schema = OFF")
}

fn allows(role: Role, action: &AuthAction<'_>, tables: &[String]) -> bool {
    let known = |name: &str| tables.iter().any(|table| table.eq_ignore_ascii_case(name));
    match (role, *action) {
        (Role::Own, _) => true,
        (Role::Script | Role::View, AuthAction::Select) => true,
        (Role::Script | Role::View, AuthAction::Read { table_name, .. }) => known(table_name),
        (Role::Script | Role::View, AuthAction::Function { function_name }) => {
            FUNCTIONS.iter().any(|name| name.eq_ignore_ascii_case(function_name))
        }
        (
            Role::Script,
            AuthAction::Insert { table_name }
            | AuthAction::Update { table_name, .. }
            | AuthAction::Delete { table_name },
        ) => known(table_name),
        _ => false,
    }
}

/// Interprets an error of SQLite, which the guard or a limit may have caused. `what` was being read or run.
pub(super) fn why(what: &str, source: Error, progress: &BuildProgress) -> Why {
    // The text is the only sign that SQLite rejected a function or a virtual table.
    let refused = |text: &str| text.starts_with("not authorized") || text.starts_with("unsafe use");
    let refused = matches!(&source, Error::SqliteFailure(_, Some(text)) if refused(text));
    match source.sqlite_error_code() {
        _ if refused => Why::Forbidden { what: what.into(), source: source.into() },
        Some(ErrorCode::OperationInterrupted) if progress.is_cancelled() => Why::Cancelled,
        Some(ErrorCode::OperationInterrupted) => Why::Endless(what.into()),
        Some(ErrorCode::AuthorizationForStatementDenied) => {
            Why::Forbidden { what: what.into(), source: source.into() }
        }
        Some(ErrorCode::TooBig) => Why::LongRow { what: what.into(), most: LONGEST_ROW },
        _ => Why::Sqlite(source.into()),
    }
}
