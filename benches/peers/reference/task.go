package main

import (
	"encoding/json"
	"fmt"
	"sort"
	"strconv"
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
	// Order is the order in which scopes are evaluated against, if it is not theirs.
	Order []int
	// Altered is the path of the value in each scope that is unknown, or marked if Mark is true.
	Altered []string
	Mark    bool
	// JSON tells to write results as JSON within the time.
	JSON bool
}

// job is a prepared task.
type job struct {
	scopes int
	// evaluate runs the measured operation for one scope and keeps the results.
	evaluate func(scope int) error
	// show gives the results that evaluate has kept, as something that can be written as JSON.
	show func() any
	// order is a permutation of the scopes, or nil.
	order []int
	turn  int
}

// answer is the result for one scope.
func (j *job) answer(scope int) ([]byte, error) {
	if err := j.evaluate(scope); err != nil {
		return nil, err
	}
	result := j.show()
	if _, ok := result.(unknown); ok {
		return []byte("unknown"), nil
	}
	return json.Marshal(result)
}

// timed evaluates this number of times, against each scope in turn.
func (j *job) timed(evaluations int) time.Duration {
	start := spent()
	for range evaluations {
		// All scopes have been answered before, so nothing fails here.
		scope := j.turn
		if j.order != nil {
			scope = j.order[scope]
		}
		_ = j.evaluate(scope)
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
	case "parse-expression":
		return t.parseExpression()
	case "batch":
		return t.batch()
	case "rules":
		return t.rules()
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
		if t.JSON && !diags.HasErrors() {
			_, err := json.Marshal(shown(result))
			return err
		}
		return failure(diags, nil)
	}
	show := func() any { return shown(result) }
	return &job{scopes: len(contexts), evaluate: evaluate, show: show, order: t.Order}, nil
}

// batch prepares one expression that is evaluated against all scopes in each evaluation. Its results
// are bools.
func (t task) batch() (*job, error) {
	expression, diags := hclsyntax.ParseExpression([]byte(t.Text), "", hcl.InitialPos)
	contexts, err := t.contexts()
	if err := failure(diags, err); err != nil {
		return nil, err
	}
	var results []bool
	evaluate := func(int) error {
		results = make([]bool, 0, len(contexts))
		for _, context := range contexts {
			result, diags := expression.Value(context)
			if diags.HasErrors() {
				return diags
			}
			results = append(results, result.True())
		}
		return nil
	}
	return &job{scopes: 1, evaluate: evaluate, show: func() any { return results }}, nil
}

// rules prepares the attributes of a body that are conditions; the result lists the numbers of those that
// hold.
func (t task) rules() (*job, error) {
	attributes, err := attributes(t.Text)
	if err != nil {
		return nil, err
	}
	contexts, err := t.contexts()
	if err != nil {
		return nil, err
	}
	var holding []int
	evaluate := func(scope int) error {
		holding = []int{}
		for number, attribute := range attributes {
			result, diags := attribute.Expr.Value(contexts[scope])
			if diags.HasErrors() {
				return diags
			}
			if result.True() {
				holding = append(holding, number)
			}
		}
		return nil
	}
	return &job{scopes: len(contexts), evaluate: evaluate, show: func() any { return holding }}, nil
}

// parseExpression prepares parsing of one expression.
func (t task) parseExpression() (*job, error) {
	evaluate := func(int) error {
		_, diags := hclsyntax.ParseExpression([]byte(t.Text), "", hcl.InitialPos)
		return failure(diags, nil)
	}
	return &job{scopes: 1, evaluate: evaluate, show: func() any { return 1 }}, nil
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
		if len(t.Altered) > 0 {
			name := t.Altered[0]
			context.Variables[name] = t.alter(context.Variables[name], t.Altered[1:])
		}
		contexts = append(contexts, context)
	}
	return contexts, nil
}

// alter returns a value with the part at a path unknown or marked.
func (t task) alter(value cty.Value, path []string) cty.Value {
	if len(path) == 0 {
		if t.Mark {
			return value.Mark("secret")
		}
		return cty.DynamicVal
	}
	if value.Type().IsTupleType() {
		items := value.AsValueSlice()
		at, err := strconv.Atoi(path[0])
		if err != nil {
			panic(err)
		}
		items[at] = t.alter(items[at], path[1:])
		return cty.TupleVal(items)
	}
	attributes := value.AsValueMap()
	attributes[path[0]] = t.alter(attributes[path[0]], path[1:])
	return cty.ObjectVal(attributes)
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

// shown converts a result: marks are left out, and a value that is not wholly known has no JSON.
func shown(value cty.Value) any {
	if value, _ = value.UnmarkDeep(); !value.IsWhollyKnown() {
		return unknown{}
	}
	return ctyjson.SimpleJSONValue{Value: value}
}

// unknown is the result of an expression that has no known value.
type unknown struct{}
