//! Sorted lists as maps and sets. The standard library's BTreeMap and BTreeSet would do the same, but the compiler makes each of them anew for each type of key
//! and value: a tenth of the time that the build script takes to compile. The same holds for its sorts.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::{iter, slice, vec};

/// Keys with values, sorted by key.
pub struct SortedMap<K, V>(Vec<(K, V)>);

/// The entries of a map, in order.
pub type Entries<'a, K, V> = iter::Map<slice::Iter<'a, (K, V)>, fn(&'a (K, V)) -> (&'a K, &'a V)>;

impl<K, V> SortedMap<K, V> {
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    pub fn iter(&self) -> Entries<'_, K, V> {
        self.0.iter().map(|(key, value)| (key, value))
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn keys(&self) -> impl Iterator<Item = &K> {
        self.0.iter().map(|(key, _)| key)
    }

    pub fn values(&self) -> impl Iterator<Item = &V> {
        self.0.iter().map(|(_, value)| value)
    }

    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut V> {
        self.0.iter_mut().map(|(_, value)| value)
    }
}

impl<K: Ord, V> SortedMap<K, V> {
    /// The place of a key, or where it would be.
    fn place<Q: Ord + ?Sized>(&self, key: &Q) -> Result<usize, usize>
    where
        K: Borrow<Q>,
    {
        place(self.0.len(), &|place| self.0[place].0.borrow().cmp(key))
    }

    pub fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        match self.place(key) {
            Ok(place) => Some(&self.0[place].1),
            Err(_) => None,
        }
    }

    pub fn contains_key<Q: Ord + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.place(key).is_ok()
    }

    /// The value that the key had.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        match self.place(&key) {
            Ok(place) => Some(std::mem::replace(&mut self.0[place].1, value)),
            Err(place) => {
                self.0.insert(place, (key, value));
                None
            }
        }
    }

    /// The value of a key, which is `value` where there was none.
    pub fn or_insert(&mut self, key: K, value: V) -> &mut V {
        let place = match self.place(&key) {
            Ok(place) => place,
            Err(place) => {
                self.0.insert(place, (key, value));
                place
            }
        };
        &mut self.0[place].1
    }
}

impl<K: Ord + Borrow<Q>, V, Q: Ord + ?Sized> std::ops::Index<&Q> for SortedMap<K, V> {
    type Output = V;

    fn index(&self, key: &Q) -> &V {
        self.get(key).expect("a key of the map")
    }
}

impl<K, V> Default for SortedMap<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: Ord, V> FromIterator<(K, V)> for SortedMap<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut map = Self::new();
        for (key, value) in entries {
            map.insert(key, value);
        }
        map
    }
}

impl<K, V> IntoIterator for SortedMap<K, V> {
    type Item = (K, V);
    type IntoIter = vec::IntoIter<(K, V)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a, K, V> IntoIterator for &'a SortedMap<K, V> {
    type Item = (&'a K, &'a V);
    type IntoIter = Entries<'a, K, V>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// Sorts a list; equal items keep their order.
pub fn sort<T: Ord>(list: &mut [T]) {
    let from = sorted_places(list.len(), &|a, b| list[a].cmp(&list[b]));
    arrange(list, from);
}

/// Sorts a list by a key of its items; items of equal keys keep their order.
pub fn sort_by_key<T, K: Ord>(list: &mut [T], key: impl Fn(&T) -> K) {
    let from = sorted_places(list.len(), &|a, b| key(&list[a]).cmp(&key(&list[b])));
    arrange(list, from);
}

/// Sorts a list by a comparison; equal items keep their order.
pub fn sort_by<T>(list: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    let from = sorted_places(list.len(), &|a, b| compare(&list[a], &list[b]));
    arrange(list, from);
}

// What follows does not depend on what compares items, or on the items themselves: each is compiled once, or once for each type of item.

/// Puts the items where they belong: `from` has the place of the item that belongs at each place.
fn arrange<T>(list: &mut [T], mut from: Vec<usize>) {
    // Along each cycle of places, the item of the first place moves on until it is where it belongs.
    for first in 0..list.len() {
        let mut place = first;
        while from[place] != first {
            let next = from[place];
            list.swap(place, next);
            from[place] = place;
            place = next;
        }
        from[place] = place;
    }
}

/// Which item belongs at each place.
fn sorted_places(count: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut places: Vec<usize> = (0..count).collect();
    places.sort_by(|a, b| compare(*a, *b));
    places
}

/// The place of an item among `count` sorted ones, or where it would be. `compare` compares the item of a place with it.
fn place(count: usize, compare: &dyn Fn(usize) -> Ordering) -> Result<usize, usize> {
    let (mut low, mut high) = (0, count);
    while low < high {
        let middle = low + (high - low) / 2;
        match compare(middle) {
            Ordering::Less => low = middle + 1,
            Ordering::Equal => return Ok(middle),
            Ordering::Greater => high = middle,
        }
    }
    Err(low)
}

/// The items in order, each once.
pub fn sorted<T: Ord>(items: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut list: Vec<T> = items.into_iter().collect();
    sort(&mut list);
    list.dedup();
    list
}

/// Puts an item where it belongs in a sorted list; whether it was not there.
pub fn insert<T: Ord>(list: &mut Vec<T>, item: T) -> bool {
    match place(list.len(), &|place| list[place].cmp(&item)) {
        Ok(_) => false,
        Err(place) => {
            list.insert(place, item);
            true
        }
    }
}
