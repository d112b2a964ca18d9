//! The proleptic Gregorian calendar: conversions between dates and days since 1970.
//!
//! Written by hand because `timeadd` and `formatdate` go beyond year 9999, as Go's time package does
//! (`timeadd("9999-12-31T23:59:59Z", "1s")` is in year 10000), where `jiff`'s dates and timestamps end.
//!
//! Internally a year begins in March, so that the leap day is its last day, and 400 years form a cycle.

/// Days in a cycle of 400 years.
const CYCLE: i64 = 146_097;
/// Days from 1 March 0000, the start of a cycle, to 1 January 1970.
const EPOCH: i64 = 719_468;

/// A day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Date {
    /// The year; there is a year 0.
    pub(crate) year: i64,
    /// 1 to 12.
    pub(crate) month: u8,
    /// 1 to 31.
    pub(crate) day: u8,
}

impl Date {
    /// Returns the date `days` days after 1 January 1970.
    pub(crate) fn from_days(days: i64) -> Self {
        let shifted = days + EPOCH;
        let (cycle, of_cycle) = (shifted.div_euclid(CYCLE), shifted.rem_euclid(CYCLE));
        let of_leap = of_cycle - of_cycle / 1_460 + of_cycle / 36_524 - of_cycle / 146_096;
        let year = of_leap / 365;
        let of_year = of_cycle - (365 * year + year / 4 - year / 100);
        let from_march = (5 * of_year + 2) / 153;
        let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
        Self {
            year: cycle * 400 + year + i64::from(month <= 2),
            month: small(month),
            day: small(of_year - (153 * from_march + 2) / 5 + 1),
        }
    }

    /// Returns the number of days since 1 January 1970.
    pub(crate) fn days(self) -> i64 {
        let year = self.year - i64::from(self.month <= 2);
        let (cycle, of_cycle) = (year.div_euclid(400), year.rem_euclid(400));
        let from_march = (i64::from(self.month) + 9) % 12;
        let of_year = (153 * from_march + 2) / 5 + i64::from(self.day) - 1;
        cycle * CYCLE + of_cycle * 365 + of_cycle / 4 - of_cycle / 100 + of_year - EPOCH
    }

    /// Returns the day of the year, 1 to 366.
    pub(crate) fn day_of_year(self) -> i64 {
        self.days() - Self { month: 1, day: 1, ..self }.days() + 1
    }

    /// Returns the day of the week, from 0 for Sunday to 6 for Saturday.
    pub(crate) fn weekday(self) -> u8 {
        small((self.days() + 4).rem_euclid(7))
    }

    /// Returns the year and week (1 to 53) of ISO 8601: weeks begin on Monday and belong to the year
    /// of their Thursday.
    pub(crate) fn iso_week(self) -> (i64, i64) {
        let thursday = self.days() - (i64::from(self.weekday()) + 6) % 7 + 3;
        let of_thursday = Self::from_days(thursday);
        (of_thursday.year, (of_thursday.day_of_year() - 1) / 7 + 1)
    }

    /// Returns the English name of the month.
    pub(crate) fn month_name(self) -> &'static str {
        MONTHS.get(usize::from(self.month).wrapping_sub(1)).copied().unwrap_or_default()
    }

    /// Returns the English name of the day of the week.
    pub(crate) fn weekday_name(self) -> &'static str {
        WEEKDAYS.get(usize::from(self.weekday())).copied().unwrap_or_default()
    }
}

/// Narrows a month or a day, which are small by construction.
fn small(number: i64) -> u8 {
    u8::try_from(number).unwrap_or_default()
}

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

const WEEKDAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/// Returns the number of days of a month.
pub(crate) fn days_in_month(year: i64, month: u8) -> u8 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        _ => 31,
    }
}
