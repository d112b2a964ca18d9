//! Random tables: columns in every layout, and the values of their rows as a host would set them one by one.

use hclvm::run::columns::{Bits, Column, Offsets};
use hclvm_workloads::dice::Dice;
use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};

/// A value of a row, as serde passes it to a scope.
#[derive(Clone, Debug)]
pub(crate) enum Host {
    Null,
    Bool(bool),
    Signed(i64),
    Unsigned(u64),
    Float(f64),
    Text(String),
    Object(Vec<(String, Host)>),
    List(Vec<Host>),
}

impl Serialize for Host {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_none(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Signed(value) => serializer.serialize_i64(*value),
            Self::Unsigned(value) => serializer.serialize_u64(*value),
            Self::Float(value) => serializer.serialize_f64(*value),
            Self::Text(text) => serializer.serialize_str(text),
            Self::Object(members) => {
                let mut map = serializer.serialize_map(Some(members.len()))?;
                members.iter().try_for_each(|(name, value)| map.serialize_entry(name, value))?;
                map.end()
            }
            Self::List(items) => {
                let mut list = serializer.serialize_seq(Some(items.len()))?;
                items.iter().try_for_each(|item| list.serialize_element(item))?;
                list.end()
            }
        }
    }
}

/// The memory of a column.
#[derive(Clone, Debug)]
pub(crate) struct Kept {
    data: Data,
    /// Bits from a number on.
    valid: Option<(Vec<u8>, usize)>,
    rows: usize,
}

#[derive(Clone, Debug)]
enum Data {
    Nulls,
    Bools(Vec<bool>),
    Bits(Vec<u8>, usize),
    I8(Vec<i8>),
    I32(Vec<i32>),
    I64(Vec<i64>),
    U16(Vec<u16>),
    U64(Vec<u64>),
    F32(Vec<f32>),
    F64(Vec<f64>),
    Strings(Vec<String>),
    Texts(Vec<i32>, Vec<u8>),
    LargeTexts(Vec<i64>, Vec<u8>),
    Views(Vec<[u8; 16]>, Vec<u8>),
    /// The numbers of values, and the values.
    Dictionary(Box<Kept>, Box<Kept>),
    Structure(Vec<(String, Kept)>),
    Lists(Vec<i32>, Box<Kept>),
}

const INTS: [i64; 25] = [
    0,
    1,
    -1,
    2,
    3,
    5,
    7,
    10,
    -10,
    17,
    18,
    100,
    1000,
    i64::MIN,
    i64::MAX,
    i64::MIN + 1,
    i64::MAX - 1,
    1 << 53,
    (1 << 53) + 1,
    1 << 60,
    -(1 << 53) - 1,
    3_037_000_500,
    -3_037_000_500,
    4_611_686_018_427_387_904,
    12,
];

const FLOATS: [f64; 34] = [
    0.0,
    -0.0,
    0.1,
    0.2,
    0.3,
    0.300_000_000_000_000_04,
    0.5,
    1.0,
    -1.0,
    2.0,
    2.5,
    -2.5,
    5.0,
    10.0,
    100.0,
    1e308,
    -1e308,
    f64::MAX,
    f64::MIN_POSITIVE,
    5e-324,
    1e-300,
    f64::INFINITY,
    f64::NEG_INFINITY,
    9_007_199_254_740_992.0,
    9.223_372_036_854_776e18,
    -9.223_372_036_854_776e18,
    1.844_674_407_370_955_2e19,
    9_007_199_254_740_991.0,
    9_007_199_254_740_994.0,
    1.152_921_504_606_847e18,
    4.611_686_018_427_388e18,
    1.1,
    3.3,
    12.75,
];

pub(crate) const TEXTS: [&str; 33] = [
    "",
    "a",
    "b",
    "admin",
    "admins",
    "Admin",
    "guest",
    "GET",
    "get",
    "POST",
    "abcd",
    "abce",
    "abcdefgh",
    "abcdefgi",
    "zabcdefg",
    "abcdefgh1",
    "abcdefgh2",
    "abcdefghijkl",
    "abcdefghijklm",
    "abcdefghijkln",
    "é",
    "e\u{301}",
    "éa",
    "K",
    "\u{212A}",
    "k",
    "5",
    "1e2",
    "true",
    "日本語",
    "ß",
    "OK",
    "O\u{212A}",
];

fn bits(bools: &[bool], start: usize) -> Vec<u8> {
    let mut bytes = vec![0x5A; (start + bools.len()).div_ceil(8) + 1];
    for (at, bool) in bools.iter().enumerate() {
        let bit = start + at;
        bytes[bit / 8] = bytes[bit / 8] & !(1 << (bit % 8)) | u8::from(*bool) << (bit % 8);
    }
    bytes
}

fn bit((bytes, start): (&[u8], usize), row: usize) -> bool {
    bytes[(start + row) / 8] >> ((start + row) % 8) & 1 == 1
}

/// The kinds of columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Bool,
    Int,
    Float,
    Text,
    Nulls,
    Any,
}

impl Kept {
    /// Makes a column of a kind; another one now and then.
    pub(crate) fn random(dice: &mut Dice, kind: Kind, rows: usize) -> Self {
        let kind = if dice.chance(4) { Kind::Any } else { kind };
        let data = match kind {
            Kind::Nulls => Data::Nulls,
            Kind::Bool => bools(dice, rows),
            Kind::Int => ints(dice, rows),
            Kind::Float => floats(dice, rows),
            Kind::Text => texts(dice, rows),
            Kind::Any => match dice.roll(8) {
                0 => Data::Nulls,
                1 | 2 => bools(dice, rows),
                3 => ints(dice, rows),
                4 => floats(dice, rows),
                5 => return Self::lists(dice, rows),
                6 => return Self::structure(dice, rows, &[("role", Kind::Text), ("age", Kind::Int)]),
                _ => texts(dice, rows),
            },
        };
        Self::nullable(dice, data, rows)
    }

    /// Makes some rows null.
    fn nullable(dice: &mut Dice, data: Data, rows: usize) -> Self {
        let valid = dice.chance(30).then(|| {
            let start = dice.below(9);
            let share = [50, 90, 99][dice.below(3)];
            let valid: Vec<bool> = (0..rows).map(|_| dice.chance(share)).collect();
            (bits(&valid, start), start)
        });
        Self { data, valid, rows }
    }

    pub(crate) fn structure(dice: &mut Dice, rows: usize, fields: &[(&str, Kind)]) -> Self {
        let mut members: Vec<(String, Self)> =
            fields.iter().map(|(name, kind)| ((*name).to_owned(), Self::random(dice, *kind, rows))).collect();
        if dice.chance(50) {
            members.reverse();
        }
        Self::nullable(dice, Data::Structure(members), rows)
    }

    /// Adds an attribute to a structure.
    pub(crate) fn with(mut self, name: &str, column: Self) -> Self {
        if let Data::Structure(members) = &mut self.data {
            members.push((name.to_owned(), column));
        }
        self
    }

    pub(crate) fn lists(dice: &mut Dice, rows: usize) -> Self {
        let mut offsets = vec![i32::try_from(dice.below(3)).expect("small")];
        for row in 0..rows {
            offsets.push(offsets[row] + i32::try_from(dice.below(4)).expect("small"));
        }
        let items = usize::try_from(offsets[rows]).expect("ascending") + dice.below(2);
        let kind = [Kind::Int, Kind::Text][dice.below(2)];
        let items = Self::random(dice, kind, items);
        Self::nullable(dice, Data::Lists(offsets, Box::new(items)), rows)
    }

    pub(crate) fn column(&self) -> Column<'_> {
        let column = match &self.data {
            Data::Nulls => Column::nulls(self.rows),
            Data::Bools(items) => Column::from(items),
            Data::Bits(bytes, start) => {
                Column::from(Bits::new(bytes, *start, self.rows).expect("there are enough"))
            }
            Data::I8(items) => Column::from(items),
            Data::I32(items) => Column::from(items),
            Data::I64(items) => Column::from(items),
            Data::U16(items) => Column::from(items),
            Data::U64(items) => Column::from(items),
            Data::F32(items) => Column::from(items),
            Data::F64(items) => Column::from(items),
            Data::Strings(items) => Column::from(items),
            Data::Texts(offsets, bytes) => Column::texts(Offsets::Short(offsets), bytes),
            Data::LargeTexts(offsets, bytes) => Column::texts(Offsets::Large(offsets), bytes),
            Data::Views(views, buffer) => Column::views(views, [&[][..], buffer]),
            Data::Dictionary(keys, values) => {
                let keys = self.validated(keys.column());
                return Column::dictionary(keys, values.column()).expect("the keys are integers");
            }
            Data::Structure(members) => {
                let members = members.iter().map(|(name, member)| (name, member.column()));
                Column::structure(self.rows, members).expect("the members have as many rows")
            }
            Data::Lists(offsets, items) => Column::lists(Offsets::Short(offsets), items.column()),
        };
        self.validated(column)
    }

    fn validated<'c>(&'c self, column: Column<'c>) -> Column<'c> {
        let Some((bytes, start)) = &self.valid else { return column };
        let valid = Bits::new(bytes, *start, self.rows).expect("there are enough");
        column.with_validity(valid).expect("there are as many")
    }

    pub(crate) fn host(&self, row: usize) -> Host {
        if self.valid.as_ref().is_some_and(|(bytes, start)| !bit((bytes, *start), row)) {
            return Host::Null;
        }
        let text = |bytes: &[u8]| Host::Text(String::from_utf8(bytes.to_vec()).expect("it is UTF-8"));
        let index = |at: i32| usize::try_from(at).expect("not negative");
        match &self.data {
            Data::Nulls => Host::Null,
            Data::Bools(items) => Host::Bool(items[row]),
            Data::Bits(bytes, start) => Host::Bool(bit((bytes, *start), row)),
            Data::I8(items) => Host::Signed(items[row].into()),
            Data::I32(items) => Host::Signed(items[row].into()),
            Data::I64(items) => Host::Signed(items[row]),
            Data::U16(items) => Host::Unsigned(items[row].into()),
            Data::U64(items) => Host::Unsigned(items[row]),
            Data::F32(items) => Host::Float(items[row].into()),
            Data::F64(items) => Host::Float(items[row]),
            Data::Strings(items) => Host::Text(items[row].clone()),
            Data::Texts(offsets, bytes) => text(&bytes[index(offsets[row])..index(offsets[row + 1])]),
            Data::LargeTexts(offsets, bytes) => {
                let at = |row: usize| usize::try_from(offsets[row]).expect("not negative");
                text(&bytes[at(row)..at(row + 1)])
            }
            Data::Views(views, buffer) => {
                let number = |at: usize| {
                    let bytes = views[row][at..at + 4].try_into().expect("four bytes");
                    u32::from_le_bytes(bytes) as usize
                };
                let len = number(0);
                text(if len <= 12 { &views[row][4..4 + len] } else { &buffer[number(12)..number(12) + len] })
            }
            Data::Dictionary(keys, values) => match keys.host(row) {
                Host::Signed(key) => values.host(usize::try_from(key).expect("not negative")),
                Host::Unsigned(key) => values.host(usize::try_from(key).expect("small")),
                other => panic!("the keys are integers, not {other:?}"),
            },
            Data::Structure(members) => {
                Host::Object(members.iter().map(|(name, member)| (name.clone(), member.host(row))).collect())
            }
            Data::Lists(offsets, items) => {
                let range = index(offsets[row])..index(offsets[row + 1]);
                Host::List(range.map(|at| items.host(at)).collect())
            }
        }
    }
}

fn bools(dice: &mut Dice, rows: usize) -> Data {
    let share = [0, 50, 50, 95, 100][dice.below(5)];
    let bools: Vec<bool> = (0..rows).map(|_| dice.chance(share)).collect();
    if dice.chance(50) {
        return Data::Bools(bools);
    }
    let start = dice.below(9);
    Data::Bits(bits(&bools, start), start)
}

fn ints(dice: &mut Dice, rows: usize) -> Data {
    // Few of the borders, so that vectors of plain rows are tested as well.
    let borders = [0, 3, 40][dice.below(3)];
    let any: Vec<i64> =
        (0..rows)
            .map(|_| {
                if dice.chance(borders) { INTS[dice.below(INTS.len())] } else { i64::from(dice.roll(24)) - 4 }
            })
            .collect();
    match dice.roll(8) {
        0 => Data::I8(any.iter().map(|int| i8::try_from(int % 100).expect("small")).collect()),
        1 => Data::I32(any.iter().map(|int| i32::try_from(int % 1_000_000).expect("small")).collect()),
        2 => Data::U16(
            any.iter().map(|int| u16::try_from(int.unsigned_abs() % 1000).expect("small")).collect(),
        ),
        3 => Data::U64(any.iter().map(|int| int.cast_unsigned()).collect()),
        _ => Data::I64(any),
    }
}

fn floats(dice: &mut Dice, rows: usize) -> Data {
    let (borders, nan) = ([0, 5, 60][dice.below(3)], [0, 0, 1][dice.below(3)]);
    let any: Vec<f64> = (0..rows)
        .map(|_| {
            if dice.chance(nan) {
                f64::NAN
            } else if dice.chance(borders) {
                FLOATS[dice.below(FLOATS.len())]
            } else {
                f64::from(dice.roll(400)) / [4.0, 10.0, 3.0, 1.0][dice.below(4)] - 10.0
            }
        })
        .collect();
    #[expect(clippy::cast_possible_truncation, reason = "any float will do")]
    let narrow = || any.iter().map(|float| *float as f32).collect();
    if dice.chance(20) { Data::F32(narrow()) } else { Data::F64(any) }
}

/// The keys of a dictionary of a number of values, as integers of some width.
fn keys_of(dice: &mut Dice, keys: Vec<i64>, values: usize) -> Data {
    match dice.roll(5) {
        0 if values <= 127 => Data::I8(keys.iter().map(|key| i8::try_from(*key).expect("small")).collect()),
        1 => Data::U16(keys.iter().map(|key| u16::try_from(*key).expect("small")).collect()),
        2 => Data::U64(keys.iter().map(|key| key.cast_unsigned()).collect()),
        3 => Data::I64(keys),
        _ => Data::I32(keys.iter().map(|key| i32::try_from(*key).expect("small")).collect()),
    }
}

fn texts(dice: &mut Dice, rows: usize) -> Data {
    // The first texts are ASCII.
    let among = [2, 10, 20, TEXTS.len()][dice.below(4)];
    let any: Vec<String> = (0..rows)
        .map(|_| match dice.roll(200) {
            0 => "long ".repeat(80 + dice.below(3)),
            1 => "a\r\nb".to_owned(),
            // The longest text that kernels of functions look at, and the next one.
            2 => "x".repeat(256 + dice.below(2)),
            _ => TEXTS[dice.below(among)].to_owned(),
        })
        .collect();
    match dice.roll(6) {
        0 => Data::Strings(any),
        1 => {
            let (mut offsets, mut bytes) = (vec![2], b"xx".to_vec());
            for text in &any {
                bytes.extend_from_slice(text.as_bytes());
                offsets.push(i64::try_from(bytes.len()).expect("short"));
            }
            Data::LargeTexts(offsets, bytes)
        }
        2 | 3 => {
            let (mut views, mut buffer) = (Vec::new(), b"y".to_vec());
            for text in &any {
                let mut view = [0; 16];
                view[..4].copy_from_slice(&u32::try_from(text.len()).expect("short").to_le_bytes());
                if text.len() <= 12 {
                    view[4..4 + text.len()].copy_from_slice(text.as_bytes());
                } else {
                    view[4..8].copy_from_slice(&text.as_bytes()[..4]);
                    view[8..12].copy_from_slice(&1_u32.to_le_bytes());
                    view[12..].copy_from_slice(&u32::try_from(buffer.len()).expect("short").to_le_bytes());
                    buffer.extend_from_slice(text.as_bytes());
                }
                views.push(view);
            }
            Data::Views(views, buffer)
        }
        4 => {
            let values = if dice.chance(10) { 200 + dice.below(200) } else { 1 + dice.below(6) };
            let keys: Vec<i64> =
                (0..rows).map(|_| i64::try_from(dice.below(values)).expect("small")).collect();
            let texts = texts(dice, values);
            let data = keys_of(dice, keys, values);
            let keys = Kept { data, valid: None, rows };
            Data::Dictionary(Box::new(keys), Box::new(Kept::nullable(dice, texts, values)))
        }
        _ => {
            let (mut offsets, mut bytes) = (vec![0], Vec::new());
            for text in &any {
                bytes.extend_from_slice(text.as_bytes());
                offsets.push(i32::try_from(bytes.len()).expect("short"));
            }
            Data::Texts(offsets, bytes)
        }
    }
}
