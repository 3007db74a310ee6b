import CarillonServer
import Testing

struct TrustedProxiesTests {
    @Test(
        "Trusts addresses and blocks of addresses",
        arguments: [
            ("127.0.0.1", true), ("10.1.2.3", true), ("11.0.0.1", false), ("::ffff:10.0.0.1", true), ("fd00::1", true),
            ("fe80::1", false), ("nonsense", false), ("192.168.5.129", true), ("192.168.5.127", false),
        ]
    )
    func trusts(_ address: String, _ isTrusted: Bool) throws {
        let proxies = try #require(TrustedProxies(["127.0.0.1", "10.0.0.0/8", "fd00::/8", "192.168.5.128/25"]))

        #expect(proxies.contains(address) == isTrusted)
    }

    @Test("Refuses what is no address", arguments: ["", "x", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/8/8", "10.0.0"])
    func refuses(_ text: String) {
        #expect(TrustedProxies([text]) == nil)
    }
}
