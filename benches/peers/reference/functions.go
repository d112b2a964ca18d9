package main

import (
	"strings"

	"github.com/hashicorp/hcl/v2/ext/tryfunc"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"
)

// The functions that the workloads and the applications call. All but two come with the reference;
// hosts write the other two themselves, as this program does.
var functions = map[string]function.Function{
	"anytrue":         anyTrue,
	"compact":         stdlib.CompactFunc,
	"contains":        stdlib.ContainsFunc,
	"element":         stdlib.ElementFunc,
	"flatten":         stdlib.FlattenFunc,
	"floor":           stdlib.FloorFunc,
	"format":          stdlib.FormatFunc,
	"join":            stdlib.JoinFunc,
	"length":          stdlib.LengthFunc,
	"lookup":          stdlib.LookupFunc,
	"lower":           stdlib.LowerFunc,
	"max":             stdlib.MaxFunc,
	"merge":           stdlib.MergeFunc,
	"min":             stdlib.MinFunc,
	"pow":             stdlib.PowFunc,
	"range":           stdlib.RangeFunc,
	"setintersection": stdlib.SetIntersectionFunc,
	"split":           stdlib.SplitFunc,
	"startswith":      startsWith,
	"title":           stdlib.TitleFunc,
	"try":             tryfunc.TryFunc,
	"upper":           stdlib.UpperFunc,
}

var anyTrue = function.New(&function.Spec{
	Params: []function.Parameter{{Name: "list", Type: cty.List(cty.Bool)}},
	Type:   function.StaticReturnType(cty.Bool),
	Impl: func(arguments []cty.Value, _ cty.Type) (cty.Value, error) {
		for items := arguments[0].ElementIterator(); items.Next(); {
			if _, item := items.Element(); !item.IsNull() && item.True() {
				return cty.True, nil
			}
		}
		return cty.False, nil
	},
})

var startsWith = function.New(&function.Spec{
	Params: []function.Parameter{{Name: "text", Type: cty.String}, {Name: "beginning", Type: cty.String}},
	Type:   function.StaticReturnType(cty.Bool),
	Impl: func(arguments []cty.Value, _ cty.Type) (cty.Value, error) {
		return cty.BoolVal(strings.HasPrefix(arguments[0].AsString(), arguments[1].AsString())), nil
	},
})
