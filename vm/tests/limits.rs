//! The budget of an evaluation is exact: the last unit and the last level can be used, and nothing beyond.

use hclvm_vm::{Arena, Budget, Exhausted, Limits};

#[test]
fn calls_nest_as_deep_as_the_limit() {
    fn nested(budget: &Budget, levels: u16) -> Option<u16> {
        if levels == 0 {
            Some(0)
        } else {
            budget.call(|| nested(budget, levels - 1)).flatten().map(|below| below + 1)
        }
    }
    for call_depth in [0, 1, 2, 10] {
        let budget = Budget::new(Limits { call_depth, ..Limits::default() });
        assert_eq!(nested(&budget, call_depth), Some(call_depth));
        assert_eq!(budget.exhausted(), None);
        // Calls that have ended do not count.
        assert_eq!(nested(&budget, call_depth), Some(call_depth));
        assert_eq!(nested(&budget, call_depth + 1), None);
        assert_eq!(budget.exhausted(), Some(Exhausted::Calls));
        budget.refill();
        assert_eq!(nested(&budget, call_depth), Some(call_depth));
        assert_eq!(budget.exhausted(), None);
    }
}

#[test]
fn the_last_unit_of_fuel_can_be_spent() {
    for fuel in [0, 1, 999, 1_000, 1_001, 5_000] {
        let budget = Budget::new(Limits { fuel, ..Limits::default() });
        assert!((0..fuel).all(|_| budget.charge(1)), "{fuel}");
        assert_eq!((budget.fuel(), budget.exhausted()), (0, None));
        assert!(budget.charge(0));
        assert!(!budget.charge(1));
        assert_eq!(budget.exhausted(), Some(Exhausted::Fuel));
        let budget = Budget::new(Limits { fuel, ..Limits::default() });
        assert!(!budget.charge(fuel + 1));
        assert_eq!(budget.exhausted(), Some(Exhausted::Fuel));
        budget.refill();
        assert!(budget.charge(fuel));
        assert_eq!(budget.exhausted(), None);
    }
}

#[test]
fn memory_beyond_the_limit_is_refused() {
    let mut arena = Arena::with_limits(Limits { arena_bytes: 1 << 16, ..Limits::default() });
    assert_eq!(arena.text(&"x".repeat(1 << 15)).len(), 1 << 15);
    assert_eq!(arena.budget().exhausted(), None);
    assert_eq!(arena.text(&"x".repeat(1 << 16)), "");
    assert_eq!(arena.budget().exhausted(), Some(Exhausted::Memory));
    arena.reset();
    assert_eq!(arena.budget().exhausted(), None);
    assert_eq!(arena.text(&"x".repeat(1 << 15)).len(), 1 << 15);
}
