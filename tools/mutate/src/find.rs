//! Finds the places for small changes.

use proc_macro2::{Span, TokenStream};
use std::ops::Range;
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Arm, BinOp, Block, Expr, Lit, Stmt, Token};

/// The kind of a change.
#[derive(Debug, Clone)]
pub enum Change {
    /// A condition is negated.
    Negate,
    /// An expression is replaced by this text.
    Become(String),
    /// A statement is removed.
    Drop,
}

/// A change of a file.
#[derive(Debug, Clone)]
pub struct Place {
    /// Byte range in the file.
    pub range: Range<usize>,
    pub line: usize,
    pub change: Change,
    /// The change in words.
    pub what: String,
}

/// Returns all places of a file; none if it does not parse.
pub fn places(text: &str) -> Vec<Place> {
    let Ok(file) = syn::parse_file(text) else { return Vec::new() };
    let mut finder = Finder { text, places: Vec::new(), constant: 0 };
    finder.visit_file(&file);
    finder.places
}

struct Finder<'a> {
    text: &'a str,
    places: Vec<Place>,
    /// Nesting depth of code that runs at compile time, where nothing is changed.
    constant: u32,
}

/// Returns the replacement of an operator.
fn other(op: &BinOp) -> Option<(&'static str, &'static str)> {
    Some(match op {
        BinOp::Eq(_) => ("==", "!="),
        BinOp::Ne(_) => ("!=", "=="),
        BinOp::Lt(_) => ("<", "<="),
        BinOp::Le(_) => ("<=", "<"),
        BinOp::Gt(_) => (">", ">="),
        BinOp::Ge(_) => (">=", ">"),
        BinOp::And(_) => ("&&", "||"),
        BinOp::Or(_) => ("||", "&&"),
        BinOp::Add(_) => ("+", "-"),
        BinOp::Sub(_) => ("-", "+"),
        BinOp::Mul(_) => ("*", "+"),
        BinOp::Div(_) => ("/", "*"),
        BinOp::Rem(_) => ("%", "+"),
        BinOp::BitAnd(_) => ("&", "|"),
        BinOp::BitOr(_) => ("|", "&"),
        BinOp::BitXor(_) => ("^", "|"),
        BinOp::Shl(_) => ("<<", ">>"),
        BinOp::Shr(_) => (">>", "<<"),
        BinOp::AddAssign(_) => ("+=", "-="),
        BinOp::SubAssign(_) => ("-=", "+="),
        BinOp::BitOrAssign(_) => ("|=", "&="),
        BinOp::BitAndAssign(_) => ("&=", "|="),
        _ => return None,
    })
}

/// Returns the replacement of a method; an empty name removes the call.
fn other_method(name: &str) -> Option<&'static str> {
    Some(match name {
        "min" => "max",
        "max" => "min",
        "any" => "all",
        "all" => "any",
        "is_some" => "is_none",
        "is_none" => "is_some",
        "is_some_and" => "is_none_or",
        "is_none_or" => "is_some_and",
        "filter" | "set" => "",
        _ => return None,
    })
}

/// Calls that reserve memory, which has no visible effect.
const OF_ROOM: [&str; 4] = ["with_capacity", "reserve", "reserve_exact", "shrink_to_fit"];

fn is_room(name: &syn::Ident) -> bool {
    OF_ROOM.iter().any(|room| name == room)
}

/// Macros whose arguments are expressions.
const OF_EXPRESSIONS: [&str; 3] = ["format", "vec", "assert"];

fn has_let(expr: &Expr) -> bool {
    match expr {
        Expr::Let(_) => true,
        Expr::Binary(binary) => has_let(&binary.left) || has_let(&binary.right),
        Expr::Paren(paren) => has_let(&paren.expr),
        _ => false,
    }
}

impl Finder<'_> {
    fn add(&mut self, span: Span, change: Change, what: String) {
        if self.constant == 0 {
            self.places.push(Place { range: span.byte_range(), line: span.start().line, change, what });
        }
    }

    fn source(&self, node: &impl Spanned) -> &str {
        self.text.get(node.span().byte_range()).unwrap_or_default()
    }

    fn short(&self, node: &impl Spanned) -> String {
        let words: Vec<&str> = self.source(node).split_whitespace().collect();
        let text = words.join(" ");
        if text.chars().count() > 70 { text.chars().take(67).chain("...".chars()).collect() } else { text }
    }

    fn negate(&mut self, condition: &Expr, of: &str) {
        if !has_let(condition) {
            let what = format!("{of} `{}` is negated", self.short(condition));
            self.add(condition.span(), Change::Negate, what);
        }
    }

    /// Visits the bodies of `on_gfx!`: one for all generations, or arms.
    fn generations(&mut self, tokens: TokenStream) {
        let arms = |input: syn::parse::ParseStream<'_>| {
            let mut arms = Vec::new();
            while !input.is_empty() {
                arms.push(input.parse::<Arm>()?);
            }
            syn::Result::Ok(arms)
        };
        let parse = |input: syn::parse::ParseStream<'_>| {
            if input.peek(syn::Ident) && (input.peek2(syn::Ident)) {
                input.parse::<syn::Ident>()?;
            }
            let gfx: Expr = input.parse()?;
            input.parse::<Token![,]>()?;
            input.parse::<syn::Ident>()?;
            input.parse::<Token![=>]>()?;
            let fork = input.fork();
            let inner;
            syn::braced!(inner in fork);
            if let Ok(list) = arms(&inner) {
                input.parse::<TokenStream>()?;
                return Ok((gfx, list, None));
            }
            let body: Expr = input.parse()?;
            input.parse::<TokenStream>()?;
            Ok((gfx, Vec::new(), Some(body)))
        };
        if let Ok((_, list, body)) = parse.parse2(tokens) {
            list.iter().for_each(|arm| self.visit_expr(&arm.body));
            body.iter().for_each(|body| self.visit_expr(body));
        }
    }
}

fn is_test(attrs: &[syn::Attribute]) -> bool {
    attrs.iter().any(|attr| attr.path().is_ident("cfg") && attr.meta.require_list().is_ok_and(|list| list.tokens.to_string().contains("test")))
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        let constant = match item {
            syn::Item::Const(_) | syn::Item::Static(_) | syn::Item::Enum(_) => true,
            // A different hash would be equally good.
            syn::Item::Fn(function) if function.sig.ident == "hash" => return,
            syn::Item::Fn(function) => function.sig.constness.is_some(),
            syn::Item::Mod(module) if is_test(&module.attrs) => return,
            syn::Item::Macro(_) => return,
            _ => false,
        };
        self.constant += u32::from(constant);
        visit::visit_item(self, item);
        self.constant -= u32::from(constant);
    }

    fn visit_impl_item(&mut self, item: &'ast syn::ImplItem) {
        let constant = match item {
            syn::ImplItem::Const(_) => true,
            syn::ImplItem::Fn(function) => function.sig.constness.is_some(),
            _ => false,
        };
        self.constant += u32::from(constant);
        visit::visit_impl_item(self, item);
        self.constant -= u32::from(constant);
    }

    fn visit_trait_item(&mut self, item: &'ast syn::TraitItem) {
        let constant = matches!(item, syn::TraitItem::Const(_));
        self.constant += u32::from(constant);
        visit::visit_trait_item(self, item);
        self.constant -= u32::from(constant);
    }

    // The body of a closure runs later, even if the closure is in a table.
    fn visit_expr_closure(&mut self, closure: &'ast syn::ExprClosure) {
        let constant = std::mem::take(&mut self.constant);
        visit::visit_expr_closure(self, closure);
        self.constant = constant;
    }

    fn visit_expr_const(&mut self, _: &'ast syn::ExprConst) {}
    fn visit_type(&mut self, _: &'ast syn::Type) {}
    fn visit_pat(&mut self, _: &'ast syn::Pat) {}
    fn visit_attribute(&mut self, _: &'ast syn::Attribute) {}
    fn visit_generic_argument(&mut self, _: &'ast syn::GenericArgument) {}

    fn visit_expr_repeat(&mut self, repeat: &'ast syn::ExprRepeat) {
        self.visit_expr(&repeat.expr);
    }

    fn visit_expr_if(&mut self, branch: &'ast syn::ExprIf) {
        self.negate(&branch.cond, "the condition");
        visit::visit_expr_if(self, branch);
    }

    fn visit_arm(&mut self, arm: &'ast Arm) {
        if let Some((_, guard)) = &arm.guard {
            self.negate(guard, "the guard");
        }
        visit::visit_arm(self, arm);
    }

    fn visit_expr_binary(&mut self, binary: &'ast syn::ExprBinary) {
        if let Some((old, new)) = other(&binary.op)
            && !has_let(&binary.left)
            && !has_let(&binary.right)
        {
            let text = format!("{} {new} {}", self.source(&binary.left), self.source(&binary.right));
            let what = format!("`{old}` becomes `{new}` in `{}`", self.short(binary));
            self.add(binary.span(), Change::Become(text), what);
        }
        visit::visit_expr_binary(self, binary);
    }

    fn visit_expr_lit(&mut self, literal: &'ast syn::ExprLit) {
        match &literal.lit {
            Lit::Int(number) => {
                if let Ok(value) = number.base10_parse::<u128>() {
                    let text = format!("{}{}", value.wrapping_add(1), number.suffix());
                    let what = format!("`{}` becomes `{text}`", self.source(number));
                    self.add(literal.span(), Change::Become(text), what);
                }
            }
            Lit::Bool(value) => {
                let what = format!("`{}` becomes `{}`", value.value, !value.value);
                self.add(literal.span(), Change::Negate, what);
            }
            _ => {}
        }
    }

    fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
        let of_room = matches!(&*call.func, Expr::Path(path) if path.path.segments.last().is_some_and(|last| is_room(&last.ident)));
        if !of_room {
            visit::visit_expr_call(self, call);
        }
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        if is_room(&call.method) {
            return self.visit_expr(&call.receiver);
        }
        if let Some(new) = other_method(&call.method.to_string()) {
            let receiver = self.source(&call.receiver).to_owned();
            let (text, what) = if new.is_empty() {
                (receiver, format!("`.{}` is left out", self.text.get(call.method.span().byte_range().start..call.span().byte_range().end).unwrap_or_default()))
            } else {
                let rest = self.text.get(call.method.span().byte_range().end..call.span().byte_range().end).unwrap_or_default();
                (format!("{receiver}.{new}{rest}"), format!("`{}` becomes `{new}` in `{}`", call.method, self.short(call)))
            };
            self.add(call.span(), Change::Become(text), what.split_whitespace().collect::<Vec<_>>().join(" "));
        }
        visit::visit_expr_method_call(self, call);
    }

    fn visit_block(&mut self, block: &'ast Block) {
        for statement in &block.stmts {
            let Stmt::Expr(expr, semi) = statement else { continue };
            let dropped = match expr {
                Expr::MethodCall(call) if is_room(&call.method) => false,
                Expr::MethodCall(_) | Expr::Call(_) | Expr::Assign(_) | Expr::Return(_) | Expr::Break(_) | Expr::Continue(_) => semi.is_some(),
                Expr::Binary(binary) if semi.is_some() && other(&binary.op).is_some_and(|(old, _)| old.ends_with('=') && old.len() == 2) => {
                    matches!(binary.op, BinOp::AddAssign(_) | BinOp::SubAssign(_) | BinOp::BitOrAssign(_) | BinOp::BitAndAssign(_))
                }
                Expr::If(branch) => branch.else_branch.is_none(),
                _ => false,
            };
            if dropped {
                let what = format!("`{}` is left out", self.short(statement));
                self.add(statement.span(), Change::Drop, what);
            }
        }
        visit::visit_block(self, block);
    }

    fn visit_macro(&mut self, makro: &'ast syn::Macro) {
        let name = makro.path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default();
        if name == "on_gfx" {
            return self.generations(makro.tokens.clone());
        }
        if name == "matches" {
            return;
        }
        if OF_EXPRESSIONS.contains(&name.as_str())
            && let Ok(list) = Punctuated::<Expr, Token![,]>::parse_terminated.parse2(makro.tokens.clone())
        {
            list.iter().for_each(|expr| self.visit_expr(expr));
        }
    }
}
