# Every attribute is true. Results are those of the reference.

# Numbers of 512 bits, in place and of the engine.
third         = substr("${1 / 3}", 0, 100) == "0.${join("", [for i in range(98) : "3"])}"
sum           = 0.1 + 0.2 == 0.3
product       = 9223372036854775807 * 9223372036854775807 == 85070591730234615847396907784232501249
remainder     = 1e30 % 7 == 1
negative_zero = 1 / (0 * -1) < 0
floor         = floor(-12345678901234567890.5) == -12345678901234567891
ceil          = ceil(12345678901234567890.5) == 12345678901234567891
large         = 1e600000000 > 1e599999999
small         = 1e-600000000 > 0
far_sum       = 1e600000000 + 1 == 1e600000000
far_quotient  = 1e600000000 / 1e599999999 == 10
long_text     = strlen("${parseint("7${join("", [for i in range(1000) : "3"])}", 10)}") == 1001
radix         = parseint("zz", 36) == 1295
wide_radix    = parseint("Zz", 62) == 3817
long_sum      = parseint("1${join("", [for i in range(600) : "0"])}", 2) + 1 > parseint("1${join("", [for i in range(600) : "0"])}", 2)
scientific    = format("%.20e", 1 / 7) == "1.42857142857142857143e-01"
places        = format("%.2f", 0.125) == "0.12"
general       = format("%g", 1e100) == "1e+100"
comparison    = 0.30000000000000000001 > 0.3

# Functions that the reference computes with 64-bit floats.
logarithm      = log(9, 3) > 2
last_digit     = log(243, 3) == 5
square_root    = pow(2, 0.5) == 1.4142135623730951
power          = pow(0.5, 1.5) == 0.3535533905932738
whole_power    = pow(3, 30) == 205891132094649
infinite_power = pow(10, 400) > 1e399

# The rest of the language.
template = "${upper("a")}%{ for i in [1, 2] }${i}%{ endfor }" == "A12"
pattern  = regex("[0-9]+", "ab12") == "12"
object   = jsonencode({ b = [1, null, true], a = "x" }) == "{\"a\":\"x\",\"b\":[1,null,true]}"
text     = strlen("👨‍👩‍👧é") == 2
