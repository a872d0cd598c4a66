//! Values of queues.

use super::place::QueueId;
use alloc::vec::Vec;

/// A value for each queue, or kind of queues, that has one. A list: few queues run side by side.
#[derive(Debug, Clone)]
pub(crate) struct PerQueue<T, K = QueueId>(Vec<(K, T)>);

impl<T, K> Default for PerQueue<T, K> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T, K: Copy + PartialEq> PerQueue<T, K> {
    fn index(&self, queue: K) -> Option<usize> {
        self.0.iter().position(|(id, _)| *id == queue)
    }

    /// The value of a queue.
    pub fn get(&self, queue: K) -> Option<&T> {
        self.0.iter().find(|(id, _)| *id == queue).map(|(_, value)| value)
    }

    /// Sets the value of a queue, and returns the previous one.
    pub fn insert(&mut self, queue: K, value: T) -> Option<T> {
        match self.index(queue) {
            Some(at) => Some(core::mem::replace(&mut self.0[at].1, value)),
            None => {
                self.0.push((queue, value));
                None
            }
        }
    }
}

#[cfg(feature = "report")]
impl<T, K: Copy + PartialEq> PerQueue<T, K> {
    /// Takes the value of a queue out.
    pub fn remove(&mut self, queue: K) -> Option<T> {
        self.index(queue).map(|at| self.0.swap_remove(at).1)
    }

    /// The value of a queue, the default one where it has none yet.
    pub fn entry(&mut self, queue: K) -> &mut T
    where
        T: Default,
    {
        let at = self.index(queue).unwrap_or_else(|| {
            self.0.push((queue, T::default()));
            self.0.len() - 1
        });
        &mut self.0[at].1
    }
}
