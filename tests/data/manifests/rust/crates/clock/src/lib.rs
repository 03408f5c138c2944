use serde::Serialize;
use crate::face;
fn tick() { tokio_util::sync::poll(); old_rand::random(); }
