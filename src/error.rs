//! The one list of error codes, and the reasons behind them.
//!
//! A call of the core that refuses gives a [`Refusal`]: a [`Reason`] and one number that the reason
//! speaks of. The face turns it into an `Error` with a `code`. Codes never change; messages may.

use std::fmt;

macro_rules! reasons {
    ($($(#[$doc:meta])* $name:ident => $code:literal,)*) => {
        /// Why a call was refused. Several reasons may share a code; each has a message of its own.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub enum Reason { $($(#[$doc])* $name,)* }

        impl Reason {
            /// Every reason, in the order of their numbers.
            pub const ALL: &'static [Reason] = &[$(Reason::$name,)*];

            /// The `code` of the JavaScript error.
            pub fn code(self) -> &'static str {
                match self { $(Reason::$name => $code,)* }
            }

            /// The name by which the face finds the message.
            pub fn name(self) -> &'static str {
                match self { $(Reason::$name => stringify!($name),)* }
            }
        }
    };
}

reasons! {
    /// A fault of tenure itself, a caught panic. The session it happened in refuses from then on.
    Internal => "ERR_INTERNAL",
    /// The core, or the member of a scope, has ended.
    Closed => "ERR_CLOSED",
    /// A slot names nothing, or something else: the method was called on what is not its handle.
    InvalidThis => "ERR_INVALID_THIS",
    /// A stop attempt stands.
    SessionStopping => "ERR_SESSION_STOPPING",
    /// The claim handed in is another core's, another session's, or not pending any more.
    ClaimForeign => "ERR_CLAIM_FOREIGN",
    /// `attach` from a phase other than pending. Detail: the phase.
    AttachPhase => "ERR_CLAIM_PHASE",
    /// `attach` while a mutation that the claim has to wait for has not ended.
    AttachBarrier => "ERR_CLAIM_PHASE",
    /// `reserve` of a claim that is not attached.
    ReservePhase => "ERR_CLAIM_PHASE",
    /// `settle` of a claim that is not reserved.
    SettlePhase => "ERR_CLAIM_PHASE",
    /// No run yet. Detail: the phase.
    NoRun => "ERR_CLAIM_PHASE",
    /// No generation. Detail: the phase.
    NoGeneration => "ERR_CLAIM_PHASE",
    /// `enter` of a claim that is not pending. Detail: the phase.
    EnterPhase => "ERR_CLAIM_PHASE",
    /// `commitStart` of a claim that is not attached. Detail: the phase.
    StartPhase => "ERR_CLAIM_PHASE",
    /// `openRequest` of a claim whose run is not registered. Detail: the phase.
    RequestPhase => "ERR_CLAIM_PHASE",
    /// `commitStart` a second time.
    StartCommitted => "ERR_CLAIM_START",
    /// `takeStart` before a commit has succeeded.
    StartMissing => "ERR_CLAIM_START",
    /// `takeStart` a second time.
    StartTaken => "ERR_CLAIM_START",
    /// The generation is not active or not current. Detail: its id.
    GenerationStale => "ERR_GENERATION_STALE",
    /// The generation has the run's id or turn already. Detail: the generation's id.
    RunReserved => "ERR_RUN_RESERVED",
    /// A generation is stopping. Detail: its id.
    GenerationStopping => "ERR_GENERATION_STOPPING",
    /// A disposed generation is still held. Detail: its id.
    GenerationQuarantined => "ERR_GENERATION_QUARANTINED",
    /// The session is invalidated and has active runs.
    BackendQuarantined => "ERR_GENERATION_QUARANTINED",
    /// The backend lives with another member of the scope.
    GenerationForeign => "ERR_GENERATION_FOREIGN",
    /// The generation's disposal failed. Detail: the slot of the generation.
    GenerationFailed => "ERR_GENERATION_FAILED",
    /// The same, of a generation of another member. Detail: the generation's id.
    ForeignGenerationFailed => "ERR_GENERATION_FAILED",
    /// A retained stop operation quarantines the session.
    SessionQuarantined => "ERR_SESSION_QUARANTINED",
    /// The session's invalidation failed.
    InvalidationFailed => "ERR_INVALIDATION_FAILED",
    /// The binding is not of this very run, or one is bound already.
    InteractionIdentity => "ERR_INTERACTION_IDENTITY",
    /// The request id belongs to another turn or generation.
    RequestConflict => "ERR_REQUEST_CONFLICT",
    /// A quiescent mutation met live claims.
    SessionBusy => "ERR_SESSION_BUSY",
    /// Another active operation holds a key.
    OperationBusy => "ERR_OPERATION_BUSY",
    /// The operation id is active already.
    OperationDuplicate => "ERR_OPERATION_DUPLICATE",
    /// The operation service is closed.
    AdmissionClosed => "ERR_ADMISSION_CLOSED",
    /// The claim cannot be dispatched: a session other than the generation's.
    ExecutionCancelled => "ERR_EXECUTION_CANCELLED",
    /// A number is out of range.
    OutOfRange => "ERR_OUT_OF_RANGE",
    /// An argument has the wrong type.
    InvalidArgType => "ERR_INVALID_ARG_TYPE",
    /// An argument has the right type and a value that cannot be meant.
    InvalidArgValue => "ERR_INVALID_ARG_VALUE",
    /// An effect verb was called under the authority to read.
    Authority => "ERR_AUTHORITY",
    /// Something is where a backup was to be written.
    BackupExists => "ERR_BACKUP_EXISTS",
    /// A call of a service has a wrong verb, or not exactly the fields of its verb.
    CallShape => "ERR_CALL_SHAPE",
    /// The fence holds as many reservations as it may.
    FenceFull => "ERR_FENCE_FULL",
    /// An input is not plain JSON, too large, or against its schema.
    InputRefused => "ERR_INPUT_REFUSED",
    /// The file is damaged, truncated, or no journal.
    JournalCorrupt => "ERR_JOURNAL_CORRUPT",
    /// Reading or writing the file failed; whether a write took effect is unknown.
    JournalIo => "ERR_JOURNAL_IO",
    /// Another process has the file open.
    JournalLocked => "ERR_JOURNAL_LOCKED",
    /// This process has the file open with other bounds or durability.
    JournalOptions => "ERR_JOURNAL_OPTIONS",
    /// The file is of a newer format.
    JournalVersion => "ERR_JOURNAL_VERSION",
    /// Reading or writing a log file failed.
    LogIo => "ERR_LOG_IO",
    /// The operation id is reserved under another digest.
    OperationConflict => "ERR_OPERATION_CONFLICT",
    /// The operation id is reserved, and its row has left the history.
    OperationRetired => "ERR_OPERATION_RETIRED",
    /// The row has ended.
    OperationTerminal => "ERR_OPERATION_TERMINAL",
    /// A move that the tables of states do not allow.
    OperationTransition => "ERR_OPERATION_TRANSITION",
    /// There is no such row.
    OperationUnknown => "ERR_OPERATION_UNKNOWN",
    /// The plan's time is over.
    PlanExpired => "ERR_PLAN_EXPIRED",
    /// The plan function threw, or its answer is no plan.
    PlanFailed => "ERR_PLAN_FAILED",
    /// No plan of this digest is held for this input.
    PlanMismatch => "ERR_PLAN_MISMATCH",
    /// As many rows of the scope wait as may.
    QueueFull => "ERR_QUEUE_FULL",
    /// A value of an observation is past its bound or not plain JSON.
    ResultRefused => "ERR_RESULT_REFUSED",
    /// Not a JSON Schema of draft 2020-12.
    SchemaInvalid => "ERR_SCHEMA_INVALID",
    /// The scope has a started runner.
    ScopeOwned => "ERR_SCOPE_OWNED",
    /// An adapter refused a job before anything was sent.
    SubmissionRefused => "ERR_SUBMISSION_REFUSED",
}

/// A refused call: it changed nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Why.
    pub reason: Reason,
    /// The number that the reason speaks of, else 0.
    pub detail: u32,
}

impl Refusal {
    /// A refusal that speaks of a number.
    pub fn about(reason: Reason, detail: u32) -> Self {
        Self { reason, detail }
    }
}

impl From<Reason> for Refusal {
    fn from(reason: Reason) -> Self {
        Self { reason, detail: 0 }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.reason.code(), self.reason.name())
    }
}

impl std::error::Error for Refusal {}

/// What a call gives: a value, or a refusal that changed nothing.
pub type Outcome<T> = Result<T, Refusal>;

#[cfg(test)]
mod tests {
    use super::Reason;

    #[test]
    fn reasons_are_numbered_as_listed_and_codes_carry_no_package_prefix() {
        for (number, reason) in Reason::ALL.iter().enumerate() {
            assert_eq!(*reason as usize, number);
            assert!(reason.code().starts_with("ERR_") && !reason.code().contains("TENURE"));
        }
    }
}
