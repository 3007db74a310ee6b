import CarillonModel
import Foundation

/// A request whose required fields have values to stand for invalid ones while further errors are looked for.
protocol SampledRequest {
    /// A valid request as JSON, with its required fields alone.
    static var sample: String { get }
    /// Fields in whose presence another one is not required.
    static var alternatives: [String: String] { get }
}

extension SampledRequest {
    static var alternatives: [String: String] { [:] }
}

/// All errors of a request's fields.
///
/// A decoder stops at its first error. The others are found by decoding again, each time without the field that
/// failed, or with a valid value where it is required. Errors of an object or a list as a whole are found only while its
/// parts have none.
struct FieldErrors {
    /// Maximum number of reported errors.
    static let maximumCount = 32
    /// Bytes that are decoded at most for one request: each error costs a decoding, and anybody may send a wrong body.
    static let budget = 256 * 1_024

    /// The unchanged request.
    private let original: [String: Any]
    private var tree: [String: Any]
    private let sample: [String: Any]
    private let alternatives: [String: String]
    /// Paths whose values were removed or replaced.
    private var changed: [[String]] = []
    /// Those of them that were removed.
    private var removed: [[String]] = []

    /// Returns the errors of a body that does not decode.
    ///
    /// - Parameters:
    ///   - type: The request.
    ///   - bytes: The body, valid JSON.
    ///   - first: The decoder's error.
    /// - Returns: The errors in the order in which they are found; at least `first`.
    static func all<Value: Decodable>(of type: Value.Type, in bytes: [UInt8], after first: FieldError) -> [FieldError] {
        // A body of which no further decoding is allowed is not parsed again.
        guard bytes.count <= budget, let tree = (try? JSONSerialization.jsonObject(with: Data(bytes))) as? [String: Any]
        else {
            return [first]
        }
        let sampled = type as? any SampledRequest.Type
        let text = sampled?.sample ?? "{}"
        let sample = (try? JSONSerialization.jsonObject(with: Data(text.utf8))) as? [String: Any]
        var search = FieldErrors(tree: tree, sample: sample ?? [:], alternatives: sampled?.alternatives ?? [:])
        var errors = [first]
        var error = first
        for _ in 0..<min(3 * maximumCount, budget / max(1, bytes.count)) where errors.count < maximumCount {
            guard search.removeCause(of: error), let next = search.error(type) else { break }
            if !search.isConsequence(next), !errors.contains(where: { $0.field == next.field }) { errors.append(next) }
            error = next
        }
        return errors
    }

    // MARK: - Private

    private init(tree: [String: Any], sample: [String: Any], alternatives: [String: String]) {
        original = tree
        self.tree = tree
        self.sample = sample
        self.alternatives = alternatives
    }

    private func error<Value: Decodable>(_ type: Value.Type) -> FieldError? {
        guard let data = try? JSONSerialization.data(withJSONObject: tree) else { return nil }
        return JSONBody.error(type, in: data)
    }

    /// Whether an error follows from what was changed: at a changed value, around it, about a neighbour that names it, or
    /// about one that the request does not have and that is required only since another was removed.
    private func isConsequence(_ error: FieldError) -> Bool {
        let path = Self.path(error)
        let words = Set(error.problem.split { !$0.isLetter && !$0.isNumber }.map(String.init))
        return changed.contains { changed in
            if changed.starts(with: path) || path.starts(with: changed) { return true }
            return path.dropLast() == changed.dropLast() && changed.last.map(words.contains) ?? false
        }
            || removed.contains { removed in
                path.count > 1 && path.dropLast() == removed.dropLast() && !Self.has(path[...], in: original)
            }
    }

    private static func has(_ path: ArraySlice<String>, in value: Any) -> Bool {
        guard let name = path.first else { return true }
        if let elements = value as? [Any] {
            guard let index = Int(name), elements.indices.contains(index) else { return false }
            return has(path.dropFirst(), in: elements[index])
        }
        guard let object = value as? [String: Any], let inner = object[name] else { return false }
        return has(path.dropFirst(), in: inner)
    }

    /// Replaces or removes the value that an error is about, or the nearest one around it that can be.
    ///
    /// - Returns: Whether the tree changed.
    private mutating func removeCause(of error: FieldError) -> Bool {
        var path = Self.path(error)
        while !path.isEmpty {
            if !changed.contains(path), replace(path) { return true }
            // A value that must be missing.
            if changed.contains(path), !removed.contains(path), change(path, to: nil) { return true }
            path.removeLast()
        }
        return false
    }

    /// Replaces a value by a valid one, or removes it where there is none.
    private mutating func replace(_ path: [String]) -> Bool {
        guard change(path, to: path.count == 1 ? sample[path[0]] : NestedSamples.value(at: path)) else { return false }
        if path.count == 1, let other = alternatives[path[0]], tree[other] == nil { tree[other] = sample[other] }
        return true
    }

    private mutating func change(_ path: [String], to value: Any?) -> Bool {
        var whole: Any = tree
        guard Self.set(value, at: path[...], in: &whole), let object = whole as? [String: Any] else { return false }
        tree = object
        changed.append(path)
        if value == nil { removed.append(path) }
        return true
    }

    /// The names and positions of a field; empty when they are more than a body is deep, because a name has dots.
    private static func path(_ error: FieldError) -> [String] {
        let path = error.field.split(separator: ".", maxSplits: JSONSyntax.maximumDepth)
        return path.count > JSONSyntax.maximumDepth ? [] : path.map(String.init)
    }

    /// Sets or removes a value; an element is never removed, since the others would have other positions.
    ///
    /// - Returns: Whether something changed.
    private static func set(_ value: Any?, at path: ArraySlice<String>, in tree: inout Any) -> Bool {
        guard let name = path.first else { return false }
        if var elements = tree as? [Any] {
            guard let index = Int(name), elements.indices.contains(index) else { return false }
            if path.count > 1 {
                guard set(value, at: path.dropFirst(), in: &elements[index]) else { return false }
            } else {
                guard let value else { return false }
                elements[index] = value
            }
            tree = elements
            return true
        }
        guard var object = tree as? [String: Any] else { return false }
        if path.count > 1 {
            guard var inner = object[name], set(value, at: path.dropFirst(), in: &inner) else { return false }
            object[name] = inner
        } else {
            guard value != nil || object[name] != nil else { return false }
            object[name] = value
        }
        tree = object
        return true
    }
}
