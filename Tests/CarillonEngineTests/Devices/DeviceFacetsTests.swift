import CarillonEngine
import Testing

@Suite struct DeviceFacetsTests {
    @Test("Two letters form a number, in any case") func encodesLetters() {
        #expect(DeviceFacets.letters("ko") == 367, "k is 11, o is 15: 11 * 32 + 15")
        #expect(DeviceFacets.letters("KO_kr") == DeviceFacets.letters("ko"))
        #expect(DeviceFacets.letters("aa") == 33, "1 * 32 + 1")
        #expect(DeviceFacets.letters("zz-Latn") == 858)
    }

    @Test(
        "A text without two leading letters has none",
        arguments: ["", "k", "k1", "1k", "@a", "[a", "`a", "{a", "a{", "é", "日本", "\u{1}\u{2}", "k\u{0}"]
    )
    func ignoresOtherTexts(_ text: String) {
        #expect(DeviceFacets.letters(text) == nil)
    }

    @Test("Each facet has its own bits") func separateBits() {
        let all = DeviceFacets(consent: [.notifications, .ads, .nightAds], language: "zz", country: "ZZ").rawValue
        #expect(DeviceFacets(consent: [], language: nil, country: "x").rawValue == 0)
        #expect(DeviceFacets(consent: [.ads], language: nil, country: nil).rawValue == 2)
        #expect(DeviceFacets(consent: [], language: "aa", country: nil).rawValue == 33 << 3)
        #expect(DeviceFacets(consent: [], language: nil, country: "aa").rawValue == 33 << 13)
        #expect(all == 7 | 858 << 3 | 858 << 13)
        // A signed number of three bytes.
        #expect(all < 1 << 23)
    }
}
