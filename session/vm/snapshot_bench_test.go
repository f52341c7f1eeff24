package vm_test

import (
	"testing"

	"almanac/session/vm"
)

// small is a session with 1,000 small tables.
const small = `
rows = {}
for i = 1, 500 do rows[i] = {id = "inv_" .. i, cents = i * 100, paid = i % 2 == 0, tags = {"a", "b"}} end
`

// large is a session with 100,000 records and 1,000 closures.
const large = `
rows, fs = {}, {}
for i = 1, 100000 do rows[i] = {id = "inv_" .. i, cents = i * 100, name = "customer " .. i % 100} end
for i = 1, 1000 do local n = 0 fs[i] = function() n = n + i return n end end
`

func BenchmarkSnapshot(b *testing.B) {
	for name, source := range map[string]string{"1000 tables": small, "100000 records": large} {
		b.Run(name, func(b *testing.B) {
			m := machine(b)
			m.SetLimits(vm.Limits{Steps: 1 << 40, Time: 1 << 40})
			lua(b, m, source)
			var s vm.Snapshot
			for b.Loop() {
				var err error
				if s, err = m.Snapshot(vm.SnapshotLimits{Time: 1 << 40}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(len(s.Data)), "bytes")
		})
	}
}

func BenchmarkRestore(b *testing.B) {
	for name, source := range map[string]string{"1000 tables": small, "100000 records": large} {
		b.Run(name, func(b *testing.B) {
			m, o := machine(b), machine(b)
			m.SetLimits(vm.Limits{Steps: 1 << 40, Time: 1 << 40})
			lua(b, m, source)
			s, err := m.Snapshot(vm.SnapshotLimits{Time: 1 << 40})
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if err := o.Restore(s.Data); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
