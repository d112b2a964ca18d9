package main

import (
	"fmt"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
)

// document is a whole configuration: locals in dependency order, and a body. Everything that depends on
// the text alone is computed before timing; hosts that decode by schema do more in each evaluation.
type document struct {
	locals []local
	body   body
}

// local is an attribute of a locals block.
type local struct {
	name string
	expr hclsyntax.Expression
	// uses are the other locals that it reads.
	uses []string
}

type body struct {
	attributes []*hclsyntax.Attribute
	blocks     []block
}

type block struct {
	kind   string
	labels []string
	body   body
	// dynamic generates the block once per element; nil for a plain block.
	dynamic *dynamic
}

type dynamic struct {
	iterator string
	forEach  hclsyntax.Expression
	labels   hclsyntax.Expression
}

// evaluated is the result of a body.
type evaluated struct {
	attributes []*hclsyntax.Attribute
	values     []cty.Value
	blocks     []evaluatedBlock
}

type evaluatedBlock struct {
	kind   string
	labels []string
	body   evaluated
}

// document prepares a configuration with its scopes.
func (t task) document() (*job, error) {
	file, diags := hclsyntax.ParseConfig([]byte(t.Text), "", hcl.InitialPos)
	if diags.HasErrors() {
		return nil, diags
	}
	document, err := read(file.Body.(*hclsyntax.Body))
	if err != nil {
		return nil, err
	}
	contexts, err := t.contexts()
	if err != nil {
		return nil, err
	}
	var locals map[string]cty.Value
	var result evaluated
	evaluate := func(scope int) (err error) {
		context := contexts[scope]
		if locals, err = document.evaluateLocals(context); err == nil {
			context.Variables["local"] = cty.ObjectVal(locals)
			result, err = document.body.evaluate(context)
		}
		return err
	}
	show := func() any {
		whole := result.show()
		whole["locals"] = shown(cty.ObjectVal(locals))
		return whole
	}
	return &job{scopes: len(contexts), evaluate: evaluate, show: show}, nil
}

// evaluateLocals evaluates each local with an object of only the locals that it reads: an object of all
// finished locals would have to be rebuilt each time.
func (d *document) evaluateLocals(context *hcl.EvalContext) (map[string]cty.Value, error) {
	done := make(map[string]cty.Value, len(d.locals))
	for _, local := range d.locals {
		if len(local.uses) > 0 {
			used := make(map[string]cty.Value, len(local.uses))
			for _, name := range local.uses {
				used[name] = done[name]
			}
			context.Variables["local"] = cty.ObjectVal(used)
		}
		value, diags := local.expr.Value(context)
		if diags.HasErrors() {
			return nil, diags
		}
		done[local.name] = value
	}
	return done, nil
}

func (b *body) evaluate(context *hcl.EvalContext) (evaluated, error) {
	result := evaluated{attributes: b.attributes, values: make([]cty.Value, 0, len(b.attributes))}
	for _, attribute := range b.attributes {
		value, diags := attribute.Expr.Value(context)
		if diags.HasErrors() {
			return result, diags
		}
		result.values = append(result.values, value)
	}
	for at := range b.blocks {
		block := &b.blocks[at]
		if block.dynamic != nil {
			if err := block.expand(context, &result); err != nil {
				return result, err
			}
			continue
		}
		content, err := block.body.evaluate(context)
		if err != nil {
			return result, err
		}
		result.blocks = append(result.blocks, evaluatedBlock{block.kind, block.labels, content})
	}
	return result, nil
}

// expand adds a block for each element.
func (b *block) expand(context *hcl.EvalContext, result *evaluated) error {
	collection, diags := b.dynamic.forEach.Value(context)
	if diags.HasErrors() {
		return diags
	}
	for items := collection.ElementIterator(); items.Next(); {
		key, value := items.Element()
		item := cty.ObjectVal(map[string]cty.Value{"key": key, "value": value})
		inner := context.NewChild()
		inner.Variables = map[string]cty.Value{b.dynamic.iterator: item}
		labels, err := b.dynamic.labelled(inner)
		if err != nil {
			return err
		}
		content, err := b.body.evaluate(inner)
		if err != nil {
			return err
		}
		result.blocks = append(result.blocks, evaluatedBlock{b.kind, labels, content})
	}
	return nil
}

func (d *dynamic) labelled(context *hcl.EvalContext) ([]string, error) {
	if d.labels == nil {
		return nil, nil
	}
	values, diags := d.labels.Value(context)
	if diags.HasErrors() {
		return nil, diags
	}
	var labels []string
	for items := values.ElementIterator(); items.Next(); {
		_, value := items.Element()
		label, err := convert.Convert(value, cty.String)
		if err != nil {
			return nil, fmt.Errorf("a label: %w", err)
		}
		labels = append(labels, label.AsString())
	}
	return labels, nil
}

// show converts the result to the form of the expected results.
func (e *evaluated) show() map[string]any {
	whole := map[string]any{}
	if len(e.values) > 0 {
		attributes := map[string]any{}
		for at, value := range e.values {
			attributes[e.attributes[at].Name] = shown(value)
		}
		whole["attrs"] = attributes
	}
	var blocks []any
	for at := range e.blocks {
		block := &e.blocks[at]
		one := block.body.show()
		one["type"] = block.kind
		if len(block.labels) > 0 {
			one["labels"] = block.labels
		}
		blocks = append(blocks, one)
	}
	if len(blocks) > 0 {
		whole["blocks"] = blocks
	}
	return whole
}
