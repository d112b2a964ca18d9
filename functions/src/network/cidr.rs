//! Address ranges such as `10.0.0.0/8` and `fd00::/56`.
//!
//! Addresses are parsed by the standard library. The arithmetic on prefixes is written by hand, because
//! numbers of hosts count from the end if negative, and networks are numbered in up to 128 bits.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use hclvm_vm::{CallError, Function, NumberRef, Type, Value};

use crate::arguments::{STRINGS, integer_argument, number, number_of, string, text_of};
use crate::text_builder::text_value;

/// How applications read addresses and ranges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Notation {
    /// As Packer and Nomad: numbers have no leading zeros.
    Plain,
    /// As OpenTofu: leading zeros of decimal numbers mean nothing, and only IPv4 has masks.
    OpenTofu,
}

impl Notation {
    /// Returns a decimal number as the parser wants it.
    fn decimal(self, digits: &str) -> &str {
        match self {
            Self::Plain => digits,
            Self::OpenTofu => match digits.trim_start_matches('0') {
                "" => digits.get(..1).unwrap_or_default(),
                rest => rest,
            },
        }
    }

    fn address(self, text: &str) -> Option<IpAddr> {
        if self == Self::Plain || text.contains(':') {
            return text.parse().ok();
        }
        let numbers: Vec<&str> = text.split('.').map(|digits| self.decimal(digits)).collect();
        numbers.join(".").parse().ok()
    }
}

/// `cidrhost(prefix, hostnum)`: an address of a range; negative numbers count from the end.
pub(super) fn cidrhost(notation: Notation) -> Function {
    Function::new("cidrhost", [string("prefix"), number("hostnum")], Type::String, move |arena, args, _| {
        let range = range(args, notation)?;
        let wanted = whole(args, 1)?;
        let offset = range.host(wanted).ok_or_else(|| {
            let wanted = number_of(args, 1);
            CallError::argument(1, format!("{range} has no address numbered {wanted}"))
        })?;
        Ok(text_value(arena, &range.address(range.first | offset).to_string()))
    })
}

/// `cidrnetmask(prefix)`: the mask of a range.
pub(super) fn cidrnetmask(notation: Notation) -> Function {
    Function::new("cidrnetmask", [string("prefix")], Type::String, move |arena, args, _| {
        let range = range(args, notation)?;
        if range.width != 32 && notation == Notation::OpenTofu {
            return Err(CallError::argument(0, format!("{range} is of IPv6, which has no masks")));
        }
        Ok(text_value(arena, &range.address(range.mask()).to_string()))
    })
}

/// `cidrsubnet(prefix, newbits, netnum)`: a range within a range.
pub(super) fn cidrsubnet(notation: Notation) -> Function {
    let parameters = [string("prefix"), number("newbits"), number("netnum")];
    Function::new("cidrsubnet", parameters, Type::String, move |arena, args, _| {
        let range = range(args, notation)?;
        let bits = range.longer(integer_argument(args, 1)?).map_err(|why| CallError::argument(1, why))?;
        let wanted = match whole(args, 2)? {
            WholeNumber::Positive(wanted) => wanted,
            WholeNumber::Negative(_) => {
                return Err(CallError::argument(2, "the number of a range must not be negative"));
            }
        };
        let subnet = range.subnet(bits, wanted).ok_or_else(|| {
            let extension = bits - range.bits;
            let wanted = number_of(args, 2);
            CallError::argument(2, format!("{extension} more bits number no range {wanted}"))
        })?;
        Ok(text_value(arena, &subnet.to_string()))
    })
}

/// `cidrsubnets(prefix, newbits...)`: ranges within a range, one after the other.
pub(super) fn cidrsubnets(notation: Notation) -> Function {
    Function::new("cidrsubnets", [string("prefix")], STRINGS, move |arena, args, _| {
        let range = range(args, notation)?;
        let mut items = arena.list();
        let mut next = Some(range.first);
        for index in 1..args.len() {
            if !arena.charge(1) {
                return Ok(Value::DYNAMIC);
            }
            let newbits = integer_argument(args, index)?;
            let bits = match newbits {
                ..1 => Err("the prefix must become longer by at least one bit".to_owned()),
                1..=32 => range.longer(newbits),
                _ => Err("the prefix may become longer by at most 32 bits".to_owned()),
            }
            .map_err(|why| CallError::argument(index, why))?;
            let subnet = next.and_then(|from| range.subnet_from(bits, from)).ok_or_else(|| {
                let message = format!("{range} has no room left for a range with a prefix of {bits} bits");
                CallError::argument(index, message)
            })?;
            items.push(text_value(arena, &subnet.to_string()));
            next = subnet.after();
        }
        Ok(Value::list(arena, items.into_bump_slice(), Type::String))
    })
    .variadic(number("newbits"))
}

/// `cidrcontains(containing_prefix, contained_ip_or_prefix)`: whether all of one range, or one
/// address, is within another range.
pub(super) fn cidrcontains(notation: Notation) -> Function {
    let parameters = ["containing_prefix", "contained_ip_or_prefix"].map(string);
    Function::new("cidrcontains", parameters, Type::Bool, move |_, args, _| {
        let outer = range(args, notation)?;
        let text = text_of(args, 1);
        let inner = AddressRange::parse(text, notation).or_else(|| AddressRange::of_address(text, notation));
        let inner = inner.ok_or_else(|| {
            CallError::argument(1, format!("{text:?} is neither an address nor a range of addresses"))
        })?;
        if inner.width != outer.width {
            return Err(CallError::argument(
                1,
                format!("{outer} and {inner} have different kinds of addresses"),
            ));
        }
        Ok(Value::bool(inner.bits >= outer.bits && inner.first & outer.mask() == outer.first))
    })
}

/// Returns the range in the first argument.
fn range(args: &[Value<'_>], notation: Notation) -> Result<AddressRange, CallError> {
    AddressRange::parse(text_of(args, 0), notation).ok_or_else(|| {
        let message = format!("{:?} is not a range of addresses such as 10.0.0.0/8", text_of(args, 0));
        CallError::argument(0, message)
    })
}

/// A whole number by sign and size.
#[derive(Clone, Copy)]
enum WholeNumber {
    Positive(u128),
    Negative(u128),
}

/// Returns a whole number; one beyond all addresses becomes `u128::MAX`.
fn whole(args: &[Value<'_>], index: usize) -> Result<WholeNumber, CallError> {
    let number: NumberRef<'_> = number_of(args, index);
    if !number.is_integer() {
        return Err(CallError::argument(index, "expected a whole number"));
    }
    let digits = number.text_within(64).unwrap_or_default();
    let size = |digits: &str| digits.parse().unwrap_or(u128::MAX);
    Ok(match digits.strip_prefix('-') {
        None if number.is_negative() => WholeNumber::Negative(u128::MAX),
        None => WholeNumber::Positive(size(&digits)),
        Some("0") => WholeNumber::Positive(0),
        Some(digits) => WholeNumber::Negative(size(digits)),
    })
}

/// A range: all addresses with a common prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct AddressRange {
    /// The first address.
    first: u128,
    /// The number of bits that all addresses share.
    bits: u32,
    /// The bits of an address: 32 or 128.
    width: u32,
}

impl AddressRange {
    /// Parses `address "/" bits`; bits of the address behind the prefix are dropped.
    fn parse(text: &str, notation: Notation) -> Option<Self> {
        let (address, bits) = text.split_once('/')?;
        let bits = notation.decimal(bits);
        let (address, width) = match notation.address(address)? {
            IpAddr::V4(address) => (u128::from(u32::from(address)), 32),
            IpAddr::V6(address) => (u128::from(address), 128),
        };
        let digits = !bits.is_empty() && bits.bytes().all(|c| c.is_ascii_digit());
        let plain = digits && (bits == "0" || !bits.starts_with('0'));
        let bits = bits.parse().ok().filter(|bits| plain && *bits <= width)?;
        let range = Self { first: address, bits, width };
        Some(Self { first: address & range.mask(), ..range })
    }

    /// Parses a single address as a range.
    fn of_address(text: &str, notation: Notation) -> Option<Self> {
        Some(match notation.address(text)? {
            IpAddr::V4(address) => Self { first: u128::from(u32::from(address)), bits: 32, width: 32 },
            IpAddr::V6(address) => Self { first: u128::from(address), bits: 128, width: 128 },
        })
    }

    fn address(&self, value: u128) -> IpAddr {
        match self.width {
            32 => IpAddr::V4(Ipv4Addr::from(u32::try_from(value).unwrap_or(u32::MAX))),
            _ => IpAddr::V6(Ipv6Addr::from(value)),
        }
    }

    /// Returns the mask of the prefix.
    fn mask(&self) -> u128 {
        let all = all_bits(self.width);
        all & !self.host_mask()
    }

    /// Returns the mask of the bits behind the prefix.
    fn host_mask(&self) -> u128 {
        all_bits(self.width - self.bits)
    }

    /// Returns the offset of an address by its number.
    fn host(&self, wanted: WholeNumber) -> Option<u128> {
        match wanted {
            WholeNumber::Positive(offset) => (offset <= self.host_mask()).then_some(offset),
            WholeNumber::Negative(from_end) => (self.host_mask()).checked_sub(from_end.checked_sub(1)?),
        }
    }

    /// Returns the length of a prefix that is longer by `newbits`.
    fn longer(&self, newbits: i64) -> Result<u32, String> {
        let bits = u32::try_from(newbits).ok().and_then(|newbits| self.bits.checked_add(newbits));
        bits.filter(|bits| *bits <= self.width).ok_or_else(|| {
            let spare = self.width - self.bits;
            format!("the prefix of {self} can become longer by 0 to {spare} bits, not by {newbits}")
        })
    }

    /// Returns the range numbered `wanted` among those with a prefix of `bits`.
    fn subnet(&self, bits: u32, wanted: u128) -> Option<Self> {
        if wanted > all_bits(bits - self.bits) {
            return None;
        }
        let offset = wanted.checked_shl(self.width - bits).unwrap_or(0);
        Some(Self { first: self.first | offset, bits, ..*self })
    }

    /// Returns the first range with a prefix of `bits` that starts at `from` or later.
    fn subnet_from(&self, bits: u32, from: u128) -> Option<Self> {
        let unit = Self { first: 0, bits, ..*self }.host_mask();
        let first = from.checked_add(unit).map(|end| end & !unit)?;
        let subnet = Self { first, bits, ..*self };
        (first & self.mask() == self.first && first <= all_bits(self.width)).then_some(subnet)
    }

    /// Returns the address after the last one.
    fn after(&self) -> Option<u128> {
        (self.first | self.host_mask()).checked_add(1)
    }
}

fn all_bits(count: u32) -> u128 {
    if count == 0 { 0 } else { u128::MAX >> (128 - count) }
}

impl fmt::Display for AddressRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address(self.first), self.bits)
    }
}
