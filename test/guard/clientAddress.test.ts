import { describe, expect, it } from "vitest"
import ipaddr from "ipaddr.js"
import { clientAddress } from "../../src/guard/clientAddress.ts"

const trusted = ["127.0.0.0/8", "10.0.0.0/8", "fd00::/8"].map((range) => ipaddr.parseCIDR(range))

describe("the address of who calls", () => {
  it.each([
    ["203.0.113.9", null, "203.0.113.9"],
    ["203.0.113.9", "198.51.100.1", "203.0.113.9"],
    ["127.0.0.1", "198.51.100.1", "198.51.100.1"],
    ["127.0.0.1", "1.1.1.1, 198.51.100.1, 10.0.0.3", "198.51.100.1"],
    ["::ffff:127.0.0.1", "198.51.100.1:4711", "198.51.100.1"],
    ["127.0.0.1", "[2001:db8:1:2:3:4:5:6]:4711", "2001:db8:1:2::/64"],
    ["2001:db8:1:2:ffff::1", null, "2001:db8:1:2::/64"],
    ["127.0.0.1", "nonsense", "127.0.0.1"],
    ["127.0.0.1", "8.8.8.8, nonsense", "127.0.0.1"],
    ["127.0.0.1", "", "127.0.0.1"],
    ["127.0.0.1", "10.0.0.1, 10.0.0.2", "10.0.0.1"],
    [undefined, "8.8.8.8", "unknown"]
  ])("%s with %s is %s", (remote, forwarded, expected) => {
    expect(clientAddress(remote, forwarded, trusted)).toBe(expected)
  })

  it("is not looked for in a header of any length", () => {
    expect(clientAddress("127.0.0.1", `8.8.8.8, ${"10.0.0.1, ".repeat(100_000)}10.0.0.1`, trusted)).toBe("10.0.0.1")
  })
})
