//! A crate.
#![allow(dead_code)]

use std::fmt::{self, Display};
extern crate alloc;

pub const LIMIT: usize = 3;
static NAME: &str = "x";
type Result<T> = std::result::Result<T, Error>;

/// A point.
#[derive(Debug, Clone)]
pub struct Point<T> {
    x: T,
}

pub struct Unit;

#[derive(Debug)]
#[repr(u8)]
#[non_exhaustive]
enum Color {
    Red,
    Green(u8),
}

union Bits {
    a: u32,
    b: f32,
}

pub trait Shape: Display {
    const SIDES: u32;
    type Output;
    fn area(&self) -> f64;
    fn name(&self) -> String {
        "shape".into()
    }
}

impl<T: Display> Point<T>
where
    T: Clone,
{
    pub fn new(x: T) -> Self {
        let twice = |y: T| y;
        Self { x: twice(x) }
    }

    async unsafe fn run<'a>(&'a self) -> &'a T {
        fn nested() {}
        &self.x
    }
}

impl<T> fmt::Display for Point<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "point")
    }
}

macro_rules! square {
    ($x:expr) => {
        $x * $x
    };
}

mod inner {
    pub(crate) fn helper() {}

    #[cfg(test)]
    mod tests {
        #[test]
        fn works() {
            assert_eq!(1, 1);
        }
    }
}

mod elsewhere;

extern "C" {
    fn abs(x: i32) -> i32;
}

cfg_rt! {
    pub struct Gated {
        x: u8,
    }

    impl Gated {
        pub fn open(&self) {
            close();
        }
    }
}
