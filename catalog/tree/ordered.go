package tree

import "encoding/json"

// Ordered is the members of an object in an order that means something to people, for writing JSON. The zero value has
// none.
type Ordered struct {
	names  []string
	values map[string]any
}

// Set adds a member at the end, or replaces the value of one that is there.
func (m *Ordered) Set(name string, value any) {
	if m.values == nil {
		m.values = map[string]any{}
	}
	if _, there := m.values[name]; !there {
		m.names = append(m.names, name)
	}
	m.values[name] = value
}

// MarshalJSON writes them in their order.
func (m Ordered) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, name := range m.names {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(Quote(b, name), ':')
		raw, err := json.Marshal(m.values[name])
		if err != nil {
			return nil, err
		}
		b = append(b, raw...)
	}
	return append(b, '}'), nil
}
