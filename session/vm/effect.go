package vm

import "almanac/catalog/text"

// This file holds effect(kind, target, value), with which the body of a composed action adds an effect to its result.
// The host refuses it elsewhere.

func openEffect(m *Machine) {
	m.global("effect", func(c call) int {
		kind := c.string(1)
		target := ""
		if !c.absent(2) {
			target = c.string(2)
		}
		value, err := m.toData(c.l, "value", c.raw(3), false)
		if err != nil {
			c.fail("effect %s: %s", text.HeadBytes(kind, 40), err)
		}
		if m.outside.Op == nil {
			c.fail("effect is not available here")
		}
		request := []any{kind, target, value}
		if t := m.inWorker(); t != nil {
			request = append(request, t.next())
		} else {
			m.asked++
		}
		_, err = m.host(c.l, "effect", func() (any, error) { return m.outside.Op("effect", request) })
		if err != nil {
			m.hostFailed(c.l, "", err)
		}
		return 0
	})
}
