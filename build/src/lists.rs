//! Lists made from lists. Each function takes what it does with an item as a reference: so it is compiled once for each type of item, where a chain of iterators
//! becomes many functions at each place that has one.

/// The text of each item.
pub fn texts<T>(items: &[T], text: &dyn Fn(&T) -> String) -> Vec<String> {
    let mut all = Vec::new();
    for item in items {
        all.push(text(item));
    }
    all
}

/// The texts of all items in a row.
pub fn concat<T>(items: &[T], text: &dyn Fn(&T) -> String) -> String {
    texts(items, text).concat()
}

/// The texts of all items, with `between` between them.
pub fn join<T>(items: &[T], between: &str, text: &dyn Fn(&T) -> String) -> String {
    texts(items, text).join(between)
}

/// The items that are wanted.
pub fn wanted<'a, T>(items: &'a [T], wanted: &dyn Fn(&T) -> bool) -> Vec<&'a T> {
    let mut some = Vec::new();
    for item in items {
        if wanted(item) {
            some.push(item);
        }
    }
    some
}

/// The names of items.
pub fn names<'a, T>(items: &'a [T], name: &dyn Fn(&'a T) -> &'a str) -> Vec<&'a str> {
    let mut all = Vec::new();
    for item in items {
        all.push(name(item));
    }
    all
}
