package main

import (
	"encoding/json"
	"fmt"
	"sort"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"
)

// task is a task to measure.
type task struct {
	// Kind is the kind of Text, which determines the operation.
	Kind string
	Text string
	// Scopes are JSON objects of variables.
	Scopes []string
}

// job is a prepared task.
type job struct {
	scopes int
	// evaluate runs the measured operation for one scope and keeps the results.
	evaluate func(scope int) error
	// show gives the results that evaluate has kept, as something that can be written as JSON.
	show func() any
	turn int
}

// answer is the result for one scope.
func (j *job) answer(scope int) ([]byte, error) {
	if err := j.evaluate(scope); err != nil {
		return nil, err
	}
	return json.Marshal(j.show())
}

// timed evaluates this number of times, against each scope in turn.
func (j *job) timed(evaluations int) time.Duration {
	start := spent()
	for range evaluations {
		// All scopes have been answered before, so nothing fails here.
		_ = j.evaluate(j.turn)
		if j.turn++; j.turn >= j.scopes {
			j.turn = 0
		}
	}
	return spent() - start
}

func (t task) prepare() (*job, error) {
	switch t.Kind {
	case "expression":
		return t.expression()
	case "body":
		return t.body()
	case "parse":
		return t.parse()
	case "request":
		return t.request()
	case "document":
		return t.document()
	default:
		return nil, fmt.Errorf("no such kind of task: %s", t.Kind)
	}
}

// expression prepares one expression with its scopes.
func (t task) expression() (*job, error) {
	expression, diags := hclsyntax.ParseExpression([]byte(t.Text), "", hcl.InitialPos)
	contexts, err := t.contexts()
	if err := failure(diags, err); err != nil {
		return nil, err
	}
	var result cty.Value
	evaluate := func(scope int) error {
		var diags hcl.Diagnostics
		result, diags = expression.Value(contexts[scope])
		return failure(diags, nil)
	}
	return &job{scopes: len(contexts), evaluate: evaluate, show: func() any { return shown(result) }}, nil
}

// body prepares all attributes of a body with their scopes.
func (t task) body() (*job, error) {
	attributes, err := attributes(t.Text)
	if err != nil {
		return nil, err
	}
	contexts, err := t.contexts()
	if err != nil {
		return nil, err
	}
	results := make([]cty.Value, len(attributes))
	evaluate := func(scope int) error {
		for at, attribute := range attributes {
			var diags hcl.Diagnostics
			if results[at], diags = attribute.Expr.Value(contexts[scope]); diags.HasErrors() {
				return diags
			}
		}
		return nil
	}
	show := func() any {
		values := make([]any, len(results))
		for at, value := range results {
			values[at] = shown(value)
		}
		return values
	}
	return &job{scopes: len(contexts), evaluate: evaluate, show: show}, nil
}

// parse prepares parsing of the text of a body; the reference has no compilation.
func (t task) parse() (*job, error) {
	text := []byte(t.Text)
	var file *hcl.File
	evaluate := func(int) error {
		var diags hcl.Diagnostics
		file, diags = hclsyntax.ParseConfig(text, "", hcl.InitialPos)
		return failure(diags, nil)
	}
	show := func() any { return len(file.Body.(*hclsyntax.Body).Attributes) }
	return &job{scopes: 1, evaluate: evaluate, show: show}, nil
}

// request prepares one expression with scopes that are read from JSON each time.
func (t task) request() (*job, error) {
	expression, diags := hclsyntax.ParseExpression([]byte(t.Text), "", hcl.InitialPos)
	if err := failure(diags, nil); err != nil {
		return nil, err
	}
	texts := make([][]byte, len(t.Scopes))
	for at, scope := range t.Scopes {
		texts[at] = []byte(scope)
	}
	var result cty.Value
	evaluate := func(scope int) error {
		context, err := context(texts[scope])
		if err != nil {
			return err
		}
		var diags hcl.Diagnostics
		result, diags = expression.Value(context)
		return failure(diags, nil)
	}
	return &job{scopes: len(texts), evaluate: evaluate, show: func() any { return shown(result) }}, nil
}

// attributes are those of a text that is nothing else, in their order there.
func attributes(text string) ([]*hclsyntax.Attribute, error) {
	file, diags := hclsyntax.ParseConfig([]byte(text), "", hcl.InitialPos)
	if diags.HasErrors() {
		return nil, diags
	}
	return ordered(file.Body.(*hclsyntax.Body)), nil
}

// ordered are the attributes of a body, which has them by name, in their order in the text.
func ordered(body *hclsyntax.Body) []*hclsyntax.Attribute {
	var attributes []*hclsyntax.Attribute
	for _, attribute := range body.Attributes {
		attributes = append(attributes, attribute)
	}
	sort.Slice(attributes, func(a, b int) bool {
		return attributes[a].SrcRange.Start.Byte < attributes[b].SrcRange.Start.Byte
	})
	return attributes
}

func (t task) contexts() ([]*hcl.EvalContext, error) {
	var contexts []*hcl.EvalContext
	for _, scope := range t.Scopes {
		context, err := context([]byte(scope))
		if err != nil {
			return nil, err
		}
		contexts = append(contexts, context)
	}
	return contexts, nil
}

// context holds the variables of a JSON object: objects and tuples, as nothing is known of them but
// what is written.
func context(text []byte) (*hcl.EvalContext, error) {
	var scope ctyjson.SimpleJSONValue
	if err := scope.UnmarshalJSON(text); err != nil {
		return nil, err
	}
	return &hcl.EvalContext{Variables: scope.AsValueMap(), Functions: functions}, nil
}

// failure returns the first error of either kind.
func failure(diags hcl.Diagnostics, err error) error {
	if diags.HasErrors() {
		return diags
	}
	return err
}

func shown(value cty.Value) any {
	return ctyjson.SimpleJSONValue{Value: value}
}
