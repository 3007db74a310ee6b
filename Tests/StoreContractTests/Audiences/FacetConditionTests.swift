import CarillonEngine
import CarillonOperatorModel
import CarillonSQL
import Testing

@testable import CarillonStore

/// The condition of a rule on the facets of a tag; `AudienceReadingTests` check that it excludes no matching Device.
@Suite struct FacetConditionTests {
    private func condition(_ text: String) throws -> (text: String, values: [Int64]) {
        var sql = ComposedSQL()
        FacetCondition(try AudienceRule(text: text).conjuncts).add(to: &sql)
        let values = sql.parameters.map { parameter in
            if case .value(.integer(let value)) = parameter { value } else { Int64(-1) }
        }
        return (sql.text, values)
    }

    @Test("Required consents are one condition") func joinsConsents() throws {
        #expect(try condition("consent.notifications").text == " AND (facets & 1) = 1")
        #expect(try condition("consent.ads and (consent.nightAds and hasUser)").text == " AND (facets & 6) = 6")
    }

    @Test("Required letters are a condition") func comparesLetters() throws {
        let language = try condition("language in [ko, KO-KR, ja]")
        #expect(language.text == " AND ((facets >> 3) & 1023) IN ($1, $2)")
        #expect(language.values == [321, 367])
        let both = try condition("country = jp and language = \"zh-Hant\"")
        #expect(both.text == " AND ((facets >> 13) & 1023) IN ($1) AND ((facets >> 3) & 1023) IN ($2)")
    }

    @Test(
        "Uncertain terms have no condition",
        arguments: [
            "language != ko", "not language = ko", "language = ko or consent.ads", "language = k",
            "language in [ko, k]", "not consent.ads", "osVersion >= 17", "model = ko",
        ]
    )
    func ignoresUncertainTerms(_ text: String) throws {
        #expect(try condition(text).text.isEmpty)
    }
}
