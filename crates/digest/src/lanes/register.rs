//! Register types: what differs between words and instruction sets only in the intrinsics.

/// Defines the token of the instruction set of the same name: its registers, and the features that its code needs.
macro_rules! token {
    ($(#[$doc:meta])* $name:ident: $words:ident, $long_words:ident, $features:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub(crate) struct $name(());

        impl $crate::lanes::vector::Simd for $name {
            type X32 = $words;
            type X64 = $long_words;
            const ISA: $crate::Isa = $crate::Isa::$name;

            fn detect() -> Option<Self> {
                Self::ISA.present().then_some($name(()))
            }

            #[inline]
            fn run<T: $crate::lanes::vector::Task>(self, task: T) {
                #[target_feature(enable = $features)]
                fn inner<T: $crate::lanes::vector::Task>(task: T) {
                    task.work();
                }
                // SAFETY: `self` exists only where `detect` saw the instructions.
                unsafe { inner(task) }
            }
        }
    };
}
pub(crate) use token;

/// Defines a register of an instruction set: its operators and its methods as a [`Vector`](super::vector::Vector), each
/// an expression of intrinsics. `gather` is a function with the safety rules of the method; more methods may follow.
macro_rules! register {
    (
        $name:ident($register:ty): $count:literal x $word:ident, $simd:ident;
        add $add:path; and $and:path; or $or:path; xor $xor:path; ones $ones:expr;
        splat($value:ident) $splat:expr;
        load($from:ident) $load:expr;
        store($to:ident, $stored:ident) $store:expr;
        rotl($rotated:ident, $left:ident) $rotl:expr;
        shr($shifted:ident, $right:ident) $shr:expr;
        gather $gather:path;
        $($more:tt)*
    ) => {
        #[derive(Clone, Copy)]
        #[repr(transparent)]
        pub(crate) struct $name($register);

        $crate::lanes::register::operator!($name: Add add $add);
        $crate::lanes::register::operator!($name: BitAnd bitand $and);
        $crate::lanes::register::operator!($name: BitOr bitor $or);
        $crate::lanes::register::operator!($name: BitXor bitxor $xor);

        impl std::ops::Not for $name {
            type Output = Self;
            #[inline(always)]
            fn not(self) -> Self {
                // SAFETY: a register value exists only where `detect` saw the instructions.
                $name(unsafe { $xor(self.0, $ones) })
            }
        }

        impl $crate::lanes::vector::Vector for $name {
            type Word = $word;
            type Simd = $simd;
            const COUNT: usize = $count;
            const GROUP: usize = $count;

            #[inline(always)]
            fn splat(_: $simd, $value: $word) -> Self {
                // SAFETY: the token proves the instructions.
                $name(unsafe { $splat })
            }

            #[inline(always)]
            fn load(_: $simd, words: &[$word]) -> Self {
                let $from = words[..$count].as_ptr();
                // SAFETY: the token proves the instructions; the slice is cut to a register's length.
                $name(unsafe { $load })
            }

            #[inline(always)]
            fn store(self, words: &mut [$word]) {
                let ($to, $stored) = (words[..$count].as_mut_ptr(), self.0);
                // SAFETY: a register value proves the instructions; the slice is cut to a register's length.
                unsafe { $store }
            }

            #[inline(always)]
            fn rotl(self, $left: u32) -> Self {
                let $rotated = self.0;
                // SAFETY: a register value exists only where `detect` saw the instructions.
                $name(unsafe { $rotl })
            }

            #[inline(always)]
            fn shr(self, $right: u32) -> Self {
                let $shifted = self.0;
                // SAFETY: as in `rotl`.
                $name(unsafe { $shr })
            }

            #[inline(always)]
            unsafe fn gather(
                _: $simd,
                rows: *const *const u8,
                at: usize,
                order: $crate::lanes::vector::Order,
                out: *mut Self,
                stride: usize,
            ) {
                // SAFETY: the token proves the instructions; the caller promises rows and room.
                unsafe { $gather(rows, at, order, out, stride) }
            }

            $($more)*
        }
    };
}
pub(super) use register;

/// Defines an operator of a register type.
macro_rules! operator {
    ($name:ident: $trait:ident $method:ident $intrinsic:path) => {
        impl std::ops::$trait for $name {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                // SAFETY: a register value exists only where `detect` saw the instructions.
                $name(unsafe { $intrinsic(self.0, other.0) })
            }
        }
    };
}
pub(super) use operator;
