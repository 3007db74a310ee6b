import CarillonModel
import CarillonOperatorModel

@testable import CarillonConsole

extension Look {
    /// How pages look in a language, in UTC.
    static func test(_ language: Language = .english) throws -> Look {
        let texts = try Console.readTexts()
        return Look(texts[language] ?? Texts(language, .empty), zone: "UTC", theme: .system)
    }
}

extension String {
    /// Keys that the catalogue lacks are between these brackets.
    var missingKeys: [Substring] { matches(of: #/⟦([^⟧]*)⟧/#).map(\.1) }
}
