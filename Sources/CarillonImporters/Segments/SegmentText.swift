import CarillonModel
import CarillonOperatorModel

/// Makes a rule of Carillon's from the conditions of another service's segment.
enum SegmentText {
    /// Parses a rule's text that was put together.
    ///
    /// - Throws: ``SourceProblem`` when it exceeds a rule's limits.
    static func rule(_ text: String) throws(SourceProblem) -> AudienceRule {
        do throws(AudienceTextError) {
            return try AudienceRule(text: text)
        } catch {
            throw SourceProblem("cannot be a rule: \(error.problem)")
        }
    }

    /// A text in quotation marks.
    static func quoted(_ text: String) -> String {
        var quoted = "\""
        for character in text {
            switch character {
            case "\"", "\\": quoted += "\\\(character)"
            case "\n": quoted += "\\n"
            case "\r": quoted += "\\r"
            case "\t": quoted += "\\t"
            default: quoted.append(character)
            }
        }
        return quoted + "\""
    }

    /// The field of an attribute.
    ///
    /// - Throws: ``SourceProblem`` naming it, when Carillon has no attribute of this name.
    static func attribute(_ name: String) throws(SourceProblem) -> String {
        guard UserAttributes.problem(name, .null) == nil else {
            throw SourceProblem("has a condition on \(name), which cannot be an attribute's name")
        }
        return "attribute." + name
    }

    /// Conditions that are joined, in parentheses when there are several.
    static func join(_ texts: [String], _ word: String) -> String {
        texts.count == 1 ? texts[0] : "(" + texts.joined(separator: " \(word) ") + ")"
    }

    /// Whether a text is a number as a rule writes it.
    static func isNumber(_ text: String) -> Bool {
        text.utf8.count <= 18 && Double(text)?.isFinite == true && text.allSatisfy { $0.isNumber || "-.".contains($0) }
    }
}
