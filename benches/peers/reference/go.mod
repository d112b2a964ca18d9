// The modules of the reference. `build` copies this file and lets Go complete the copy, so that indirect
// dependencies and checksums need no maintenance here.
module hclvm-reference

go 1.23

require (
	github.com/hashicorp/hcl/v2 v2.24.0
	github.com/zclconf/go-cty v1.18.1
)
