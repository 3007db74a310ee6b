// SwiftUI as far as Examples/Sources/SwiftUIExample uses it, in place of the module that Linux does not have. Isolation and
// constraints are those of Apple's pages of App, Scene, WindowGroup, Button and UIApplicationDelegateAdaptor.

public import ObjectiveC
public import UIKit

@MainActor @preconcurrency
public protocol App {
    associatedtype Body: Scene
    @SceneBuilder var body: Body { get }
    init()
}

@MainActor @preconcurrency
public protocol Scene {}

@MainActor @preconcurrency
public protocol View {}

@resultBuilder
public struct SceneBuilder {
    public static func buildBlock<Content: Scene>(_ content: Content) -> Content { content }
}

@resultBuilder
public struct ViewBuilder {
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
}

public struct WindowGroup<Content: View>: Scene {
    public nonisolated init(@ViewBuilder content: () -> Content) {}
}

public struct Text: View {}

public struct Button<Label: View>: View {}

extension Button where Label == Text {
    public nonisolated init(_ title: some StringProtocol, action: @escaping @MainActor () -> Void) {}
}

@MainActor @preconcurrency @propertyWrapper
public struct UIApplicationDelegateAdaptor<DelegateType: NSObject & UIApplicationDelegate> {
    public var wrappedValue: DelegateType { DelegateType() }

    public init(_ delegateType: DelegateType.Type = DelegateType.self) {}
}
