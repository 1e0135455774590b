//! Tests of seals.

mod outboards;
mod seals;
mod transparency;
