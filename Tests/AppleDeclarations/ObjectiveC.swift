// The Swift part of the module ObjectiveC: on Apple's systems NSObject is Hashable.

@_exported public import ObjectiveC

extension NSObject: Hashable {
    public static func == (left: NSObject, right: NSObject) -> Bool { left.isEqual(right) }

    public func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}
