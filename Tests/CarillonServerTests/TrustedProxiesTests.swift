import CarillonServer
import Testing

struct TrustedProxiesTests {
    @Test(
        "Addresses and blocks of addresses are trusted",
        arguments: [
            ("127.0.0.1", true), ("10.1.2.3", true), ("11.0.0.1", false), ("::ffff:10.0.0.1", true), ("fd00::1", true),
            ("fe80::1", false), ("nonsense", false), ("192.168.5.129", true), ("192.168.5.127", false),
        ]
    )
    func trusts(_ address: String, _ isTrusted: Bool) throws {
        let proxies = try #require(TrustedProxies(["127.0.0.1", "10.0.0.0/8", "fd00::/8", "192.168.5.128/25"]))

        #expect(proxies.contains(address) == isTrusted)
    }

    @Test(
        "Malformed addresses are refused",
        arguments: ["", "x", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/8/8", "10.0.0"]
    )
    func refuses(_ text: String) {
        #expect(TrustedProxies([text]) == nil)
    }

    @Test(
        "S1-m2 The last untrusted hop is the client; behind a malformed one nothing is trusted",
        arguments: [
            ("192.0.2.1", "192.0.2.1"), ("192.0.2.1, 10.0.0.1", "192.0.2.1"), ("198.51.100.7, 192.0.2.1", "192.0.2.1"),
            ("198.51.100.7, 192.0.2.1:4711", "192.0.2.1"), ("[2001:db8::1]:80,\t10.0.0.1:80", "2001:db8::1"),
            ("[2001:db8::1]", "2001:db8::1"), ("2001:db8::1", "2001:db8::1"), ("198.51.100.7, unknown", nil),
            ("198.51.100.7, unknown, 10.0.0.1", nil), ("198.51.100.7,", nil), ("10.0.0.1", nil), ("", nil),
            ("192.0.2.1:99999", nil), ("[2001:db8::1]x", nil),
        ] as [(String, String?)]
    )
    func client(_ chain: String, _ address: String?) throws {
        let proxies = try #require(TrustedProxies(["10.0.0.0/8"]))
        #expect(proxies.client(of: chain) == address)
    }

    @Test("S1-m2 An IPv6 /64 block counts as one address")
    func network() {
        #expect(TrustedProxies.network(of: "2001:db8:0:1::1") == TrustedProxies.network(of: "2001:db8:0:1:ffff::2"))
        #expect(TrustedProxies.network(of: "2001:db8:0:1::1") != TrustedProxies.network(of: "2001:db8:0:2::1"))
        #expect(TrustedProxies.network(of: "192.0.2.1") == "192.0.2.1")
        #expect(TrustedProxies.network(of: "local") == "local")
    }
}
