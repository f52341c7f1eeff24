//go:build unix

package e2e

// bareEnv makes the test binary be the bare program that figures are compared with.
const bareEnv = "ALMANAC_E2E_BARE"

func bareMain() {}
