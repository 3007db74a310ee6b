import CarillonModel
import Testing

struct UserIDBytesTests {
    @Test("S1-h4 user ids that Unicode considers equal are different, as in the database")
    func comparesBytes() throws {
        let composed = try #require(UserID(rawValue: "Zo\u{EB}"))
        let decomposed = try #require(UserID(rawValue: "Zoe\u{308}"))

        #expect(composed.rawValue == decomposed.rawValue)
        #expect(composed != decomposed)
        #expect(Set([composed, decomposed, composed]).count == 2)
    }
}
