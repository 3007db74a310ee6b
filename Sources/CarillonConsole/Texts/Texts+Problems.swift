import CarillonModel

extension Texts {
    /// What to do about a field that the engine refuses, whose own words are English.
    func problem(_ error: FieldError) -> String {
        if let lengths = Self.lengths(error.problem) {
            return self("problem.length", ["least": lengths.least, "most": lengths.most])
        }
        return self(Self.keys[error.problem] ?? "problem.other")
    }

    private static let keys = [
        "must be an IANA time zone": "problem.zone",
        "must not be one of the passwords that are tried first": "problem.commonPassword",
        "must not have the name of the service, of the App or of the person in it": "problem.namedPassword",
        "must not have control characters": "problem.control",
    ]

    /// The numbers of `must have 15 through 128 characters`.
    private static func lengths(_ problem: String) -> (least: String, most: String)? {
        let words = problem.split(separator: " ").map(String.init)
        guard words.count == 6, words[0] == "must", words[1] == "have", words[3] == "through",
            words[5] == "characters"
        else { return nil }
        return (words[2], words[4])
    }
}
