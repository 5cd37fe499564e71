//! The calls of a random sequence: a kind, and four small numbers that choose whom it is about.

use proptest::collection::vec;
use proptest::prelude::{Strategy, any};
use proptest::sample::select;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Claim,
    Attach,
    Release,
    CreateGeneration,
    Reserve,
    Settle,
    Finalize,
    Leave,
    Stop,
    AttemptSettled,
    Drained,
    Deliver,
    Look,
    Retain,
    Pay,
    Complete,
    ReleaseRun,
    DropOperation,
    Mutate,
    MutationSettled,
    Enter,
    OpenTurn,
    Queue,
    Pull,
    SettleLeases,
    ReleaseTurn,
    TakeQueue,
    GenerationStop,
    GenerationStopped,
    GenerationDispose,
    GenerationDisposed,
    Reconcile,
    Blocker,
    Activate,
    Activated,
    Invalidate,
    InvalidationDispose,
    InvalidationDone,
    CheckpointLoad,
    CheckpointLoaded,
    CheckpointStore,
    Serialize,
    Enqueue,
    TaskEnded,
    OpenRequest,
    CloseRequest,
    Owns,
    Bind,
    Unbind,
    Start,
    Admit,
    AdmissionReleased,
    Join,
    Close,
}

use Kind::*;

/// How often each kind comes, against the others.
const WEIGHTS: &[(Kind, usize)] = &[
    (Claim, 8),
    (Attach, 7),
    (Release, 4),
    (CreateGeneration, 5),
    (Reserve, 7),
    (Settle, 4),
    (Finalize, 3),
    (Leave, 4),
    (Stop, 6),
    (AttemptSettled, 6),
    (Drained, 3),
    (Deliver, 9),
    (Look, 5),
    (Retain, 5),
    (Pay, 6),
    (Complete, 4),
    (ReleaseRun, 2),
    (DropOperation, 2),
    (Mutate, 6),
    (MutationSettled, 6),
    (Enter, 4),
    (OpenTurn, 4),
    (Queue, 6),
    (Pull, 3),
    (SettleLeases, 4),
    (ReleaseTurn, 3),
    (TakeQueue, 2),
    (GenerationStop, 2),
    (GenerationStopped, 2),
    (GenerationDispose, 3),
    (GenerationDisposed, 3),
    (Reconcile, 3),
    (Blocker, 3),
    (Activate, 2),
    (Activated, 2),
    (Invalidate, 2),
    (InvalidationDispose, 2),
    (InvalidationDone, 2),
    (CheckpointLoad, 2),
    (CheckpointLoaded, 2),
    (CheckpointStore, 1),
    (Serialize, 2),
    (Enqueue, 2),
    (TaskEnded, 3),
    (OpenRequest, 3),
    (CloseRequest, 2),
    (Owns, 1),
    (Bind, 2),
    (Unbind, 1),
    (Start, 3),
    (Admit, 1),
    (AdmissionReleased, 1),
    (Join, 1),
    (Close, 1),
];

/// What is called, and on whom: each number is taken modulo what there is to choose from.
pub type Call = (Kind, [u8; 4]);

pub fn calls(most: usize) -> impl Strategy<Value = Vec<Call>> {
    let kinds: Vec<Kind> = WEIGHTS
        .iter()
        .flat_map(|(kind, weight)| std::iter::repeat_n(*kind, *weight))
        .collect();
    vec((select(kinds), any::<[u8; 4]>()), 1..most)
}
