#if canImport(SwiftUI) && canImport(UIKit)
import SwiftUI

/// Signs people in and up.
struct SignInView: View {
    @Environment(\.texts) private var texts
    @StateObject var screen: Observed<SignInState, SignInModel>

    init(screen: @autoclosure @escaping () -> Observed<SignInState, SignInModel>) {
        _screen = StateObject(wrappedValue: screen())
    }

    var body: some View {
        Form {
            Picker(texts.signIn, selection: binding(\.mode)) {
                Text(texts.signIn).tag(SignInState.Mode.signIn)
                Text(texts.signUp).tag(SignInState.Mode.signUp)
            }
            .pickerStyle(.segmented)
            TextField(texts.name, text: binding(\.name)).textContentType(.username).autocapitalization(.none)
            SecureField(texts.password, text: binding(\.password))
            if screen.state.mode == .signUp {
                SecureField(texts.passwordAgain, text: binding(\.passwordAgain))
            }
            Button(title) { Task { await screen.model.submit() } }
        }
        .disabled(screen.state.isWaiting)
        .overlay { if screen.state.isWaiting { ProgressView(texts.waiting) } }
        .alert(texts.alertTitle(screen.state.mode), isPresented: isAlertShown) {
            Button(texts.confirm) {}
        } message: {
            Text(screen.state.problem.map(texts.text) ?? "")
        }
    }

    private var title: String { screen.state.mode == .signUp ? texts.signUp : texts.signIn }

    private var isAlertShown: Binding<Bool> {
        Binding {
            screen.state.problem != nil
        } set: { _ in
            screen.model.edit { $0.problem = nil }
        }
    }

    private func binding<Value>(_ path: WritableKeyPath<SignInState, Value>) -> Binding<Value> {
        Binding {
            screen.state[keyPath: path]
        } set: { value in
            screen.model.edit { $0[keyPath: path] = value }
        }
    }
}
#endif
