import CarillonWebhooks
import Testing

@Suite struct PublicAddressTests {
    @Test(
        "Addresses of the server's own networks are not public, in any notation",
        arguments: [
            "0.0.0.0", "10.0.0.1", "10.255.255.255", "100.64.0.1", "127.0.0.1", "127.255.0.3", "169.254.169.254",
            "172.16.0.1", "172.31.255.255", "192.0.0.8", "192.0.2.1", "192.168.1.1", "198.18.0.1", "198.19.255.255",
            "198.51.100.7", "203.0.113.9", "224.0.0.1", "239.1.1.1", "240.0.0.1", "255.255.255.255",
            "::", "::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::ffff:8.8.8.8",
            "::127.0.0.1", "fe80::1", "febf::1", "fec0::1", "fc00::1", "fd00:ec2::254", "ff02::1",
            "64:ff9b::a00:1", "64:ff9b:1::1", "100::1", "2001::1", "2001:1ff::1", "2001:db8::1", "2002:a00:1::1",
            "3fff::1", "4000::1", "5f00::1",
        ]
    )
    func refuses(_ text: String) throws {
        #expect(try !#require(PublicAddress(text: text)).isPublic)
    }

    @Test(
        "Internet addresses are public",
        arguments: [
            "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.1", "100.63.255.255", "100.128.0.0", "126.0.0.1",
            "128.0.0.1", "169.253.255.255", "172.15.255.255", "172.32.0.0", "192.0.1.1", "198.17.255.255",
            "198.20.0.0", "223.255.255.255", "2001:200::1", "2001:4860:4860::8888", "2606:4700::1111", "2a00:1450::1",
        ]
    )
    func internetAddresses(_ text: String) throws {
        #expect(try #require(PublicAddress(text: text)).isPublic)
    }

    @Test("A name is not an address") func refusesNames() {
        #expect(PublicAddress(text: "example.com") == nil)
        #expect(PublicAddress(text: "127.1") == nil)
        #expect(PublicAddress(text: "2130706433") == nil)
    }
}
