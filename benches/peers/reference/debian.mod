// The modules of the reference as packaged by Debian, for machines that cannot download others:
//
//	apt-get install golang-github-hashicorp-hcl-v2-dev
//	REFERENCE_MODULES=benches/peers/reference/debian.mod benches/peers/run
//
// The versions are those of Debian 12 and 13, older than those of go.mod. The program needs a newer Go
// than that of Debian 12.
module hclvm-reference

go 1.23

require (
	github.com/hashicorp/hcl/v2 v2.14.1
	github.com/zclconf/go-cty v1.12.1
)

require (
	github.com/agext/levenshtein v1.2.3 // indirect
	github.com/apparentlymart/go-textseg/v13 v13.0.0 // indirect
	github.com/mitchellh/go-wordwrap v1.0.1 // indirect
	golang.org/x/text v0.7.0 // indirect
)

replace (
	github.com/agext/levenshtein => /usr/share/gocode/src/github.com/agext/levenshtein
	github.com/apparentlymart/go-textseg/v13 => /usr/share/gocode/src/github.com/apparentlymart/go-textseg
	github.com/hashicorp/hcl/v2 => /usr/share/gocode/src/github.com/hashicorp/hcl/v2
	github.com/mitchellh/go-wordwrap => /usr/share/gocode/src/github.com/mitchellh/go-wordwrap
	github.com/zclconf/go-cty => /usr/share/gocode/src/github.com/zclconf/go-cty
	golang.org/x/text => /usr/share/gocode/src/golang.org/x/text
)
