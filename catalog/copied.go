package catalog

// This file copies plain data.

// Copied is plain data of its own. number makes what stands in the place of each float; nil leaves them.
func Copied(data any, number func(float64) any) any {
	switch v := data.(type) {
	case float64:
		if number != nil {
			return number(v)
		}
	case map[string]any:
		table := make(map[string]any, len(v))
		for name, item := range v {
			table[name] = Copied(item, number)
		}
		return table
	case []any:
		list := make([]any, len(v))
		for i, item := range v {
			list[i] = Copied(item, number)
		}
		return list
	}
	return data
}
