// Renders a chart as Helm does, with its template language (text/template with Sprig) and the functions of Helm that the
// chart uses. Reads {"chart", "values"} from standard input; prints the objects as JSON, or the first failure.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"sigs.k8s.io/yaml"
)

type input struct {
	Chart  string                 `json:"chart"`
	Values map[string]interface{} `json:"values"`
}

var separator = regexp.MustCompile(`(?m)^---\s*$`)

func main() {
	objects, err := render()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	json.NewEncoder(os.Stdout).Encode(objects)
}

func readYaml(path string) (map[string]interface{}, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	out := map[string]interface{}{}
	return out, yaml.UnmarshalStrict(text, &out)
}

// Like Helm: the keys of Chart.yaml with a capital.
func capitalized(in map[string]interface{}) map[string]interface{} {
	out := map[string]interface{}{}
	for key, value := range in {
		out[strings.ToUpper(key[:1])+key[1:]] = value
	}
	return out
}

func merge(base, over map[string]interface{}) map[string]interface{} {
	for key, value := range over {
		inner, isMap := value.(map[string]interface{})
		below, wasMap := base[key].(map[string]interface{})
		if isMap && wasMap {
			base[key] = merge(below, inner)
		} else {
			base[key] = value
		}
	}
	return base
}

func render() ([]map[string]interface{}, error) {
	var in input
	if err := json.NewDecoder(os.Stdin).Decode(&in); err != nil {
		return nil, err
	}
	about, err := readYaml(filepath.Join(in.Chart, "Chart.yaml"))
	if err != nil {
		return nil, err
	}
	defaults, err := readYaml(filepath.Join(in.Chart, "values.yaml"))
	if err != nil {
		return nil, err
	}
	data := map[string]interface{}{
		"Chart":   capitalized(about),
		"Values":  merge(defaults, in.Values),
		"Release": map[string]interface{}{"Name": "recado", "Namespace": "default", "Service": "Helm"},
	}

	root := template.New("chart").Option("missingkey=zero")
	functions := sprig.TxtFuncMap()
	delete(functions, "env")
	delete(functions, "expandenv")
	functions["toYaml"] = func(value interface{}) (string, error) {
		text, err := yaml.Marshal(value)
		return strings.TrimSuffix(string(text), "\n"), err
	}
	functions["fromYaml"] = func(text string) (map[string]interface{}, error) {
		out := map[string]interface{}{}
		return out, yaml.Unmarshal([]byte(text), &out)
	}
	functions["include"] = func(name string, data interface{}) (string, error) {
		var out bytes.Buffer
		err := root.ExecuteTemplate(&out, name, data)
		return out.String(), err
	}
	functions["required"] = func(why string, value interface{}) (interface{}, error) {
		if value == nil || value == "" {
			return nil, errors.New(why)
		}
		return value, nil
	}
	root.Funcs(functions)
	paths, err := filepath.Glob(filepath.Join(in.Chart, "templates", "*"))
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		if _, err := root.New(filepath.Base(path)).Parse(string(text)); err != nil {
			return nil, err
		}
	}

	objects := []map[string]interface{}{}
	for _, path := range paths {
		name := filepath.Base(path)
		if strings.HasPrefix(name, "_") {
			continue
		}
		var out bytes.Buffer
		if err := root.ExecuteTemplate(&out, name, data); err != nil {
			return nil, err
		}
		if strings.HasSuffix(name, ".txt") {
			continue
		}
		for _, part := range separator.Split(out.String(), -1) {
			object := map[string]interface{}{}
			// Strict: a key that stands twice is a mistake.
			if err := yaml.UnmarshalStrict([]byte(part), &object); err != nil {
				return nil, fmt.Errorf("%s: %w\n%s", name, err, part)
			}
			if len(object) > 0 {
				objects = append(objects, object)
			}
		}
	}
	return objects, nil
}
