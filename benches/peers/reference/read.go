package main

import (
	"errors"
	"fmt"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// read takes a file apart: locals blocks, blocks that are there, blocks that are made.
func read(file *hclsyntax.Body) (*document, error) {
	var locals []local
	rest := *file
	rest.Blocks = nil
	for _, block := range file.Blocks {
		if block.Type != "locals" {
			rest.Blocks = append(rest.Blocks, block)
			continue
		}
		for _, attribute := range ordered(block.Body) {
			locals = append(locals, local{attribute.Name, attribute.Expr, uses(attribute.Expr)})
		}
	}
	locals, err := inOrder(locals)
	if err != nil {
		return nil, err
	}
	body, err := readBody(&rest)
	return &document{locals, body}, err
}

// uses are the locals that an expression reads.
func uses(expr hclsyntax.Expression) []string {
	var names []string
	seen := map[string]bool{}
	for _, traversal := range expr.Variables() {
		if traversal.RootName() != "local" || len(traversal) < 2 {
			continue
		}
		if step, ok := traversal[1].(hcl.TraverseAttr); ok && !seen[step.Name] {
			seen[step.Name] = true
			names = append(names, step.Name)
		}
	}
	return names
}

// inOrder puts each local behind those that it reads.
func inOrder(locals []local) ([]local, error) {
	var sorted []local
	done := map[string]bool{}
	for len(locals) > 0 {
		var waiting []local
		for _, local := range locals {
			ready := true
			for _, name := range local.uses {
				ready = ready && done[name]
			}
			if !ready {
				waiting = append(waiting, local)
				continue
			}
			done[local.name] = true
			sorted = append(sorted, local)
		}
		if len(waiting) == len(locals) {
			return nil, fmt.Errorf("local.%s needs what is not there, or itself", waiting[0].name)
		}
		locals = waiting
	}
	return sorted, nil
}

func readBody(from *hclsyntax.Body) (body, error) {
	result := body{attributes: ordered(from)}
	for _, block := range from.Blocks {
		read := readBlock
		if block.Type == "dynamic" {
			read = readDynamic
		}
		made, err := read(block)
		if err != nil {
			return result, err
		}
		result.blocks = append(result.blocks, made)
	}
	return result, nil
}

func readBlock(from *hclsyntax.Block) (block, error) {
	body, err := readBody(from.Body)
	return block{kind: from.Type, labels: from.Labels, body: body}, err
}

func readDynamic(from *hclsyntax.Block) (block, error) {
	attributes := from.Body.Attributes
	forEach := attributes["for_each"]
	if len(from.Labels) != 1 || len(from.Body.Blocks) != 1 || forEach == nil {
		return block{}, errors.New("a dynamic block has a label, a collection and content")
	}
	made := &dynamic{iterator: from.Labels[0], forEach: forEach.Expr}
	if labels := attributes["labels"]; labels != nil {
		made.labels = labels.Expr
	}
	if iterator := attributes["iterator"]; iterator != nil {
		made.iterator = hcl.ExprAsKeyword(iterator.Expr)
	}
	content, err := readBody(from.Body.Blocks[0].Body)
	return block{kind: from.Labels[0], body: content, dynamic: made}, err
}
