package import CarillonModel

/// A Device's change of its User's tags.
package enum TagChange: Hashable, Sendable {
    case add(Set<TagID>)
    case replace(Set<TagID>)
    case remove(Set<TagID>)
    case removeAll

    /// Returns the tags of the User after the change.
    ///
    /// Only existing tags of the App can be added; removing a tag that the User does not have changes nothing.
    ///
    /// - Parameters:
    ///   - current: The User's tags.
    ///   - isKnown: Whether the App has a tag.
    /// - Returns: The tags, or why they do not change: ``EngineError/Refusal/unknownTag(_:)``, or
    ///   ``EngineError/invalid(_:)`` when there would be more than 16.
    /// - Throws: What `isKnown` throws.
    package func plan(
        for current: Set<TagID>,
        isKnown: (TagID) throws(StoreError) -> Bool
    ) throws(StoreError) -> Result<Set<TagID>, EngineError> {
        let given: Set<TagID>
        switch self {
        case .add(let tags), .replace(let tags): given = tags
        case .remove(let tags): return .success(current.subtracting(tags))
        case .removeAll: return .success([])
        }
        for tag in given.subtracting(current).sorted() {
            guard try isKnown(tag) else { return .failure(.refused(.unknownTag(tag))) }
        }
        var result = given
        if case .add = self { result.formUnion(current) }
        guard result.count <= TagSet.maximumCount else {
            let problem = "must leave the User at most \(TagSet.maximumCount) tags in all"
            return .failure(.invalid(FieldError(field: "tags", problem: problem)))
        }
        return .success(result)
    }
}
